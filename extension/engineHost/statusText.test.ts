import { describe, expect, it } from 'vitest';
import { statusText } from './statusText.js';

describe('statusText', () => {
  it('names the connection and, for a screen reader, how it is doing', () => {
    const state = { kind: 'connected', url: 'http://127.0.0.1:1', serverVersion: '0.1.0' } as const;
    expect(statusText({ name: 'Local', kind: 'local', state })).toEqual({
      text: '$(pass) Millrace: Local',
      label: 'Millrace, Engine inside the editor, running',
      tooltip: 'Engine inside the editor: running\nhttp://127.0.0.1:1\nVersion 0.1.0',
      severity: 'normal',
      command: 'millrace.connection.choose',
    });
  });

  it('shows cause and remedy of a failure, and leads to where it can be mended', () => {
    const state = { kind: 'failed', reason: 'The engine is missing', hint: 'Install it again.' } as const;
    const local = statusText({ name: 'Local', kind: 'local', state });
    expect(local.text).toContain('failed');
    expect(local.tooltip).toContain('The engine is missing.\nInstall it again.');
    expect(local).toMatchObject({ severity: 'error', command: 'millrace.showLog' });
    expect(statusText({ name: 'Lab', kind: 'remote', state }).command).toBe('millrace.connection.choose');
  });

  it('warns while it tries again, and cuts a long name', () => {
    const state = { kind: 'waiting', reason: 'Nothing answers' } as const;
    const shown = statusText({ name: 'x'.repeat(80), kind: 'remote', state });
    expect(shown.severity).toBe('warning');
    expect(shown.tooltip).toContain('Nothing answers');
    expect(shown.text.length).toBeLessThan(70);
  });
});
