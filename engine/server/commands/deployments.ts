import type { DeploymentStore } from '../../store/deployments.js';
import { requirePermission } from '../auth.js';
import { type Call, type CommandTable, extension } from '../command.js';

/** Pipelines that the server starts by a schedule. */
export function deploymentCommands(deployments: DeploymentStore): CommandTable {
  const reading = (call: Call): string => {
    requirePermission(call.principal, 'monitor');
    return call.principal.keyId;
  };
  const changing = (call: Call): string => {
    requirePermission(call.principal, 'control');
    return call.principal.keyId;
  };
  return {
    deploy_add: extension((call) => deployments.add(changing(call), call.arguments)),
    deploy_remove: extension(async (call) => {
      await deployments.remove(changing(call), call.arguments.projectId);
      return {};
    }),
    deploy_list: extension((call) => ({ deployments: deployments.list(reading(call)) })),
    deploy_status: extension((call) => deployments.status(reading(call), call.arguments.projectId)),
    deploy_update: extension(async (call) => {
      await deployments.update(changing(call), call.arguments);
      return {};
    }),
  };
}
