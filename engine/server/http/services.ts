import { MillraceError } from '../../../protocol/errors.js';
import { describeService, describeServices } from '../describeServices.js';
import { type HttpDeps, queryText, type Route } from './context.js';
import { success } from './envelope.js';

export function serviceRoutes({ catalogue }: HttpDeps): Route[] {
  return [
    {
      method: 'GET',
      path: '/services',
      access: 'public',
      body: 'none',
      doc: {
        tag: 'Server',
        summary: 'The providers pipelines can use, or one of them',
        query: { service: { type: 'string', description: 'Provider id.' } },
        data: { type: 'object' },
      },
      handle: (request) => {
        const name = queryText(request, 'service');
        if (name === undefined) return success(describeServices(catalogue));
        const definition = catalogue.find(name);
        if (definition === undefined) {
          throw new MillraceError(
            'service_unknown',
            `Service '${name.slice(0, 100)}' not found. Please check the service name and try again.`,
          );
        }
        return success(describeService(definition));
      },
    },
  ];
}
