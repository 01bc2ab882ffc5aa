import { isRecord } from '../../../pipeline/values.js';
import type { Session } from './session.js';

/** A provider as the server describes it; `lanes` maps an input lane to its output lanes. */
export interface ServiceDefinition {
  title?: string;
  protocol?: string;
  prefix?: string;
  description?: string | string[];
  classType?: string[];
  lanes?: Record<string, string[]>;
  [key: string]: unknown;
}

export interface ServiceCatalogue {
  services: Record<string, ServiceDefinition>;
  version?: number | string;
}

/** The providers a server offers. */
export class Services {
  readonly #session: Session;

  constructor(session: Session) {
    this.#session = session;
  }

  async list(): Promise<ServiceCatalogue> {
    const { body } = await this.#session.call('services');
    const services = isRecord(body) && isRecord(body.services) ? body.services : {};
    const version = isRecord(body) ? body.version : undefined;
    return {
      services: services as Record<string, ServiceDefinition>,
      ...(typeof version === 'number' || typeof version === 'string' ? { version } : {}),
    };
  }

  /** @throws NotFoundError `service_unknown` */
  async get(name: string): Promise<ServiceDefinition> {
    return (await this.#session.call('services', { service: name })).body as ServiceDefinition;
  }
}
