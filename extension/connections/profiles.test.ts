import { describe, expect, it } from 'vitest';
import { isUnprotected, nameProblem, readProfiles, urlProblem, withoutProfile, withRenamed } from './profiles.js';

function read(value: unknown): { profiles: unknown; warnings: string[] } {
  const warnings: string[] = [];
  const profiles = readProfiles(value, (message) => warnings.push(message));
  return { profiles, warnings };
}

describe('readProfiles', () => {
  it('leaves out what is wrong, says why and keeps the rest in order', () => {
    const { profiles, warnings } = read([
      { name: ' Lab ', url: 'http://lab:1234' },
      'text',
      { name: 'No address' },
      { name: 'Bad address', url: 'ftp://lab' },
      { name: 'lab', url: 'http://other' },
      { name: 'local', url: 'http://other' },
      { name: 'Other', url: 'wss://other.example.com' },
    ]);
    expect(profiles).toEqual([
      { name: 'Lab', url: 'http://lab:1234' },
      { name: 'Other', url: 'wss://other.example.com' },
    ]);
    expect(warnings).toHaveLength(5);
    expect(warnings[0]).toContain('Entry 2');
    expect(warnings[3]).toContain('There is a connection named lab');
  });

  it('takes a missing setting as none and warns of one that is no list', () => {
    expect(read(undefined)).toEqual({ profiles: [], warnings: [] });
    expect(read({ name: 'Lab' })).toEqual({ profiles: [], warnings: [expect.stringContaining('no list')] });
  });
});

describe('checks of what a person types', () => {
  it('wants a name of its own', () => {
    const others = [{ name: 'Lab', url: 'http://lab' }];
    expect(nameProblem(' ', others)).toContain('Give');
    expect(nameProblem('LAB', others)).toContain('Choose another');
    expect(nameProblem('LOCAL', others)).toContain('inside the editor');
    expect(nameProblem('Lab 2', others)).toBeUndefined();
  });

  it.each(['http://127.0.0.1:5565', 'wss://pipelines.example.com', 'server:99', 'server'])('takes %s', (url) => {
    expect(urlProblem(url)).toBeUndefined();
  });

  it.each(['', 'ftp://server', 'http://', 'http://a b'])('refuses "%s" as an address', (url) => {
    expect(urlProblem(url)).toMatch(/http:\/\/127\.0\.0\.1:5565/);
  });

  it('knows where a key could be read on the way', () => {
    expect(isUnprotected('http://server')).toBe(true);
    expect(isUnprotected('https://server')).toBe(false);
    expect(isUnprotected('127.0.0.1:5565')).toBe(false);
  });
});

describe('changes of the setting', () => {
  it('leave entries alone that are not meant, also those that are not valid', () => {
    const value = [{ name: 'Lab', url: 'http://lab' }, { url: 'half done' }, 7];
    expect(withRenamed(value, 'Lab', 'Office')).toEqual([{ name: 'Office', url: 'http://lab' }, value[1], 7]);
    expect(withoutProfile(value, 'Lab')).toEqual([value[1], 7]);
  });
});
