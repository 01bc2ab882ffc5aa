import { describe, expect, it } from 'vitest';
import { projectIdOf } from './projectId.js';

describe('projectIdOf', () => {
  it('is a UUID that stays the same for a file and differs between files', () => {
    const id = projectIdOf('file:///project/a.pipe');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(projectIdOf('file:///project/a.pipe')).toBe(id);
    expect(projectIdOf('file:///project/b.pipe')).not.toBe(id);
  });
});
