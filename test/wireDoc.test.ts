import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { accountCommands } from '../engine/server/commands/account.js';
import { dashboardCommands } from '../engine/server/commands/dashboard.js';
import { deploymentCommands } from '../engine/server/commands/deployments.js';
import { infoCommands } from '../engine/server/commands/info.js';
import { monitorCommands } from '../engine/server/commands/monitor.js';
import { processCommands } from '../engine/server/commands/process.js';
import { storeCommands } from '../engine/server/commands/store.js';
import { taskCommands } from '../engine/server/commands/tasks.js';
import { Authenticator } from '../engine/server/auth.js';
import { builtinCatalogue } from '../engine/components/catalogue.js';
import { createHttpServer } from '../engine/server/http/server.js';
import type { OpenApiDocument } from '../engine/server/http/openApiDocument.js';
import { EventBit, eventBits, eventMaskNames } from '../protocol/events.js';
import { type ComponentStat, emptyStatus, type SlowDoc, TaskState } from '../protocol/status.js';

const page = readFileSync(path.join(import.meta.dirname, '..', 'docs', 'wire.md'), 'utf8');

/** In the table of the bits, but nothing of this server sends them. */
const neverSent = [
  'apaevt_status_message',
  'apaevt_status_download',
  'apaevt_status_metrics',
  'apaevt_status_info',
] as const;

describe('docs/wire.md', () => {
  it('has every command', () => {
    // Only the names are asked for, so nothing has to stand behind the commands.
    const nothing = {} as never;
    const tables = [
      taskCommands(nothing),
      processCommands(nothing),
      monitorCommands(nothing, nothing),
      infoCommands(nothing),
      storeCommands(nothing),
      dashboardCommands(nothing),
      deploymentCommands(nothing),
      accountCommands(nothing),
    ];
    const commands = tables
      .flatMap((table) => Object.entries(table))
      .map(([name, { extension }]) => (extension ? `\`…${name}\`` : `\`${name}\``));
    expect(commands.filter((name) => !page.includes(name))).toEqual([]);
  });

  it('has every subcommand of sending data', () => {
    const source = readFileSync(
      path.join(import.meta.dirname, '..', 'engine', 'server', 'commands', 'process.ts'),
      'utf8',
    );
    const names = [...source.matchAll(/case '(\w+)':/g)].map(([, name]) => name ?? '');
    const [, section = ''] = page.split(/^### Data$/m);
    const told = [...section.matchAll(/^\| `(\w+)` /gm)].map(([, name]) => name ?? '');
    expect(names).toContain('abandon');
    expect(names.filter((name) => !told.includes(name))).toEqual([]);
  });

  it('has every subcommand of the file store', () => {
    const source = readFileSync(
      path.join(import.meta.dirname, '..', 'engine', 'server', 'commands', 'store.ts'),
      'utf8',
    );
    const names = [...source.matchAll(/^ {2}(fs_\w+):/gm)].map(([, name]) => `\`${name ?? ''}\``);
    expect(names).not.toEqual([]);
    expect(names.filter((name) => !page.includes(name))).toEqual([]);
  });

  it('has every event, and every name to subscribe to them', () => {
    const events = Object.keys(eventBits).filter((name) => !neverSent.includes(name as (typeof neverSent)[number]));
    const names = [...events, ...eventMaskNames(EventBit.ALL)];
    expect(names.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
  });

  it('has every field of the status', () => {
    const [, section = ''] = /^### The status$([^]*?)^### /m.exec(page) ?? [];
    const { metrics, tokens, pipeflow, ...rest } = emptyStatus();
    const stat: (keyof ComponentStat)[] = ['calls', 'totalSeconds', 'maxSeconds'];
    const slow: (keyof SlowDoc)[] = ['name', 'elapsed', 'beginTime', 'beginSeq'];
    const plain = Object.keys(metrics).map((name) => name.replace(/^(?:peak|avg)_/, ''));
    const names = [
      ...Object.keys({ ...rest, ...tokens, ...pipeflow }),
      ...plain,
      'metrics',
      'tokens',
      'pipeflow',
      ...stat,
      ...slow,
    ];
    expect(names.filter((name) => !new RegExp(`[\`{ ]${name}[\`},]`).test(section))).toEqual([]);
  });

  it('has every state of a task with its number', () => {
    const states = Object.entries(TaskState).map(([name, number]) => `${number} ${name}`);
    expect(states.filter((state) => !page.includes(state))).toEqual([]);
  });

  it('has every route, and no other', async () => {
    const app = createHttpServer({
      tasks: {} as never,
      authenticator: new Authenticator(['key'], () => undefined),
      policy: { hosts: ['localhost'], origins: [] },
      catalogue: builtinCatalogue(),
      validation: {} as never,
      version: { version: '1.0.0', hash: '', stamp: '' },
      packages: [],
      logger: { error: () => undefined, debug: () => undefined },
      clock: () => 0,
    });
    const answer = await app.inject({ url: '/openapi.json', headers: { host: 'localhost' } });
    await app.close();
    const { paths } = answer.json<OpenApiDocument>();
    const served = Object.entries(paths).flatMap(([route, operations]) =>
      Object.keys(operations).map((method) => `${method.toUpperCase()} ${route}`),
    );
    const told = [...page.matchAll(/^\| `((?:GET|POST|PUT|DELETE) [^`]+)`/gm)].map(([, route]) => route);
    expect(told.sort()).toEqual(served.sort());
  });
});
