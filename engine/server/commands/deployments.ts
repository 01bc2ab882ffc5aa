import type { DeploymentStore } from '../../store/deployments.js';
import { requirePermission } from '../auth.js';
import { type Call, type CommandTable, extension } from '../command.js';

/** Pipelines that the server starts by a schedule. */
export function deploymentCommands(deployments: DeploymentStore): CommandTable {
  /** Deployments belong to the key; a task's own token reaches none of them. */
  const owner = (call: Call): string => {
    requirePermission(call.principal, 'control');
    return call.principal.keyId;
  };
  return {
    deploy_add: extension((call) => deployments.add(owner(call), call.arguments)),
    deploy_remove: extension(async (call) => {
      await deployments.remove(owner(call), call.arguments.projectId);
      return {};
    }),
    deploy_list: extension((call) => ({ deployments: deployments.list(owner(call)) })),
    deploy_status: extension((call) => deployments.status(owner(call), call.arguments.projectId)),
    deploy_update: extension(async (call) => {
      await deployments.update(owner(call), call.arguments);
      return {};
    }),
  };
}
