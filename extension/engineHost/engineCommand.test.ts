import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { engineCommand, readEngineSettings } from './engineCommand.js';

const program = { execPath: '/editor', entry: '/x/main.js', dataDirectory: '/data', env: { PATH: '/bin' } };

describe('engineCommand', () => {
  it('makes a Node of an Electron, and hands the key over in the environment only', () => {
    const settings = { workerMemory: 128, componentsFolder: '/mine' };
    const command = engineCommand({ ...program, isElectron: true }, settings, 'secret');
    expect(command.env).toEqual({ PATH: '/bin', MILLRACE_APIKEY: 'secret', ELECTRON_RUN_AS_NODE: '1' });
    expect(command.args.join(' ')).toContain('--worker-memory 128 --components /mine');
    expect(command.args).not.toContain('secret');
  });

  it('leaves a plain Node as it is', () => {
    const settings = { workerMemory: 128, componentsFolder: undefined };
    const command = engineCommand({ ...program, isElectron: false }, settings, 'secret');
    expect(command.env).not.toHaveProperty('ELECTRON_RUN_AS_NODE');
    expect(command.args).not.toContain('--components');
  });
});

describe('readEngineSettings', () => {
  it('starts a relative folder at the workspace folder', () => {
    const given = { workerMemory: 256, componentsFolder: 'components' };
    expect(readEngineSettings(given, resolve('/work'))).toEqual({
      workerMemory: 256,
      componentsFolder: resolve('/work', 'components'),
    });
  });

  it('refuses a relative folder when no folder is open', () => {
    expect(() => readEngineSettings({ workerMemory: 256, componentsFolder: 'components' }, undefined)).toThrow(
      'no folder is open',
    );
  });

  it.each([
    ['lots', 2048],
    [1, 64],
    [1e9, 65_536],
    [NaN, 2048],
  ])('takes %s as %i megabytes', (workerMemory, expected) => {
    expect(readEngineSettings({ workerMemory, componentsFolder: 5 }, undefined)).toEqual({
      workerMemory: expected,
      componentsFolder: undefined,
    });
  });
});
