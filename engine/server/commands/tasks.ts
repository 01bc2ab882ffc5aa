import { MillraceError } from '../../../protocol/errors.js';
import { TaskState } from '../../../protocol/status.js';
import { unwrapPipeline } from '../../../pipeline/document.js';
import type { RunningTask, TaskService } from '../../tasks/service.js';
import { requirePermission, taskToken } from '../auth.js';
import { type Call, type CommandTable, extension } from '../command.js';
import { isRecord } from '../../../pipeline/values.js';
import { startFields, textField } from '../fields.js';

/** Starting, ending and asking about tasks. */
export function taskCommands(tasks: TaskService): CommandTable {
  return {
    execute: { extension: false, run: (call) => execute(tasks, call) },
    restart: { extension: false, run: (call) => restart(tasks, call) },
    terminate: { extension: false, run: (call) => terminate(tasks, call) },
    get_task_status: extension((call) => findTask(tasks, call, 'monitor').status()),
    get_pipeline: extension((call) => {
      const task = findTask(tasks, call, 'monitor');
      return { pipeline: task.pipeline(), pipelineTraceLevel: task.traceLevel };
    }),
    get_token: extension((call) => getToken(tasks, call)),
    get_tasks: extension((call) => getTasks(tasks, call)),
  };
}

/** The task a call is about, by its argument or by the credential. */
export function findTask(tasks: TaskService, call: Call, permission: 'control' | 'data' | 'monitor'): RunningTask {
  const token = taskToken(call.principal, textField(call.arguments, 'token'));
  requirePermission(call.principal, permission, call.principal.kind === 'key' ? undefined : call.principal.token);
  return tasks.find(call.principal, token);
}

function execute(tasks: TaskService, call: Call): Promise<unknown> {
  requirePermission(call.principal, 'control');
  const { pipeline } = call.arguments;
  if (pipeline === undefined || pipeline === null) {
    throw new MillraceError('pipeline_invalid', 'No pipeline was given', {
      hint: 'Send the pipeline configuration as `pipeline`.',
    });
  }
  return tasks.start(call.principal, { pipeline, ...startFields(call.arguments) });
}

function restart(tasks: TaskService, call: Call): Promise<unknown> {
  const given = call.arguments;
  const target = {
    token: textField(given, 'token'),
    projectId: textField(given, 'projectId'),
    source: textField(given, 'source'),
  };
  if (call.principal.kind !== 'key') {
    target.token = taskToken(call.principal, target.token);
    requirePermission(call.principal, 'control', target.token);
  }
  return tasks.restart(call.principal, target, given.pipeline);
}

async function terminate(tasks: TaskService, call: Call): Promise<undefined> {
  await findTask(tasks, call, 'control').terminate();
  return undefined;
}

function getToken(tasks: TaskService, call: Call): object {
  requirePermission(call.principal, 'monitor');
  const projectId = textField(call.arguments, 'projectId') ?? '';
  const source = textField(call.arguments, 'source') ?? '';
  const task = tasks.findByProject(call.principal, projectId, source);
  if (task === undefined) throw new MillraceError('task_unknown');
  return { token: task.info.token };
}

function getTasks(tasks: TaskService, call: Call): object {
  requirePermission(call.principal, 'monitor');
  const running = tasks.list(call.principal).flatMap((task) => {
    const status = task.status();
    return status.state === TaskState.RUNNING ? [{ task, status }] : [];
  });
  return {
    tasks: running.map(({ task, status }) => {
      const pipeline = unwrapPipeline(task.pipeline());
      const { name, description } = isRecord(pipeline) ? pipeline : {};
      return {
        name: typeof name === 'string' && name !== '' ? name : task.info.source,
        description: typeof description === 'string' && description !== '' ? description : `Pipeline ${status.name}`,
        source: task.info.source,
        token: task.info.token,
        status: status.status,
        pipeline,
      };
    }),
  };
}
