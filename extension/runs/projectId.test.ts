import { describe, expect, it } from 'vitest';
import { projectIdOf } from './projectId.js';

describe('projectIdOf', () => {
  it('is a UUID that stays the same for a file and differs between files', () => {
    const id = projectIdOf('file:///work/a.pipe');
    expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(projectIdOf('file:///work/a.pipe')).toBe(id);
    expect(projectIdOf('file:///work/b.pipe')).not.toBe(id);
  });
});
