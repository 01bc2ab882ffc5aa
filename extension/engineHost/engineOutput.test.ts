import { describe, expect, it } from 'vitest';
import { recordingLog } from '../testing/recordingLog.js';
import { EngineOutput } from './engineOutput.js';

function make(...lines: string[]) {
  const log = recordingLog();
  const output = new EngineOutput(log, 'the-key');
  for (const line of lines) output.line(line);
  return { log, output };
}

describe('EngineOutput', () => {
  it('logs lines of the engine at their level, other lines as they are, and never the key', () => {
    const { log } = make(
      '{"level":40,"time":1,"msg":"slow disk","file":"a"}',
      '{"level":50,"msg":"gone the-key"}',
      'Debugger attached.',
      '{ no JSON',
      '',
    );
    expect(log.lines).toEqual([
      'warn: [engine] slow disk {"file":"a"}',
      'error: [engine] gone …',
      'info: [engine] Debugger attached.',
      'info: [engine] { no JSON',
    ]);
  });

  it('explains an end with what the engine said, in the words of the editor', () => {
    const { output } = make(
      'error: The folder of components cannot be read: ENOENT',
      '  → Check the folder given with --components.',
      'a line after it',
    );
    expect(output.explain('exit code 1')).toEqual({
      reason: 'The folder of components cannot be read: ENOENT',
      hint: 'Check the setting millrace.engine.componentsFolder.',
    });
  });

  it('explains an end without words by how the process ended', () => {
    const { reason, hint } = make().output.explain('signal SIGKILL');
    expect(reason).toBe('The engine ended with signal SIGKILL before it was ready');
    expect(hint).toContain('log');
  });

  it('keeps only the last lines, however much is printed', () => {
    const { output } = make('error: long ago', ...Array.from({ length: 100 }, (_, index) => `line ${index}`));
    expect(output.explain('exit code 1').reason).toContain('line 99');
  });
});
