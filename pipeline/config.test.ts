import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { resolveConfig } from './config.js';
import { catalogue, llm } from './fixtures.js';

const pro = {
  model: 'pro',
  tokens: 1000,
  options: { safe: true, level: 1 },
  stop: ['a', 'b'],
  profile: 'gemini-2_5-pro',
};

describe('resolveConfig', () => {
  it('takes the default profile and lays the configuration over it', () => {
    expect(resolveConfig(llm, {})).toMatchObject({ config: pro, warnings: [] });
    const own = { tokens: 5, options: { level: 2 }, stop: ['c'], extra: { deep: [1] } };
    expect(resolveConfig(llm, own)).toMatchObject({
      config: { ...pro, tokens: 5, options: { safe: true, level: 2 }, stop: ['c'], extra: { deep: [1] } },
      warnings: [],
    });
  });

  it('does not let null override', () => {
    expect(resolveConfig(llm, { profile: null, tokens: null, options: { level: null } }).config).toEqual(pro);
    expect(resolveConfig(llm, { profile: 'flash', flash: { tokens: null } }).config.tokens).toBe(10);
  });

  it('takes the named profile and its section', () => {
    expect(
      resolveConfig(llm, { profile: 'flash', flash: { tokens: 7 }, 'gemini-2_5-pro': { tokens: 1 } }),
    ).toMatchObject({
      config: { model: 'flash', tokens: 7, mode: 'fast', profile: 'flash' },
      warnings: [],
    });
  });

  it('uses a key beside the section when the section lacks it, with a warning', () => {
    const { config, warnings } = resolveConfig(llm, {
      profile: 'flash',
      flash: { model: 'mine' },
      apikey: 'k',
      model: 'lost',
    });
    expect(config).toMatchObject({ model: 'mine', apikey: 'k' });
    expect(warnings).toHaveLength(1);
    expect(warnings[0]).toMatchObject({ code: 'config_key_misplaced', path: ['apikey'] });
  });

  it('keeps the members that may always be present, without a warning and below the profile', () => {
    expect(
      resolveConfig(llm, { profile: 'flash', mode: 'Source', parameters: { a: 1 }, hideForm: true }),
    ).toMatchObject({
      config: { model: 'flash', tokens: 10, mode: 'fast', parameters: { a: 1 }, hideForm: true, profile: 'flash' },
      warnings: [],
    });
  });

  it('uses the section of the default profile when no profile is named, with a warning', () => {
    const { config, warnings } = resolveConfig(llm, { tokens: 3, 'gemini-2_5-pro': { tokens: 4 } });
    expect(config).toEqual({ ...pro, tokens: 4 });
    expect(warnings).toHaveLength(1);
  });

  it('finds a section that is named by what follows the first underscore, with a warning', () => {
    const { config, warnings } = resolveConfig(llm, { profile: 'gemini-2_5-pro', '5-pro': { tokens: 4 } });
    expect(config).toEqual({ ...pro, tokens: 4 });
    expect(warnings).toMatchObject([{ code: 'profile_section_renamed', path: ['5-pro'] }]);
  });

  it('maps a dead profile to the live one, with a warning', () => {
    const { config, warnings } = resolveConfig(llm, { profile: 'gemini', gemini: { tokens: 4 } });
    expect(config).toMatchObject({ model: 'flash', tokens: 4, profile: 'flash' });
    expect(warnings).toMatchObject([{ code: 'profile_deprecated', path: ['profile'], replacement: 'flash' }]);
  });

  it.each(['flsh', 'constructor', '__proto__'])(
    'refuses the unknown profile %s and names the known ones',
    (profile) => {
      expect(() => resolveConfig(llm, { profile })).toThrow(/"gemini-2_5-pro", "flash"/);
      expect(() => resolveConfig(llm, { profile })).toThrow(expect.objectContaining({ code: 'start_failed' }) as Error);
    },
  );

  it('accepts any profile name where the provider has no profiles', () => {
    const parse = catalogue.find('parse');
    if (parse === undefined) throw new Error('parse is missing');
    expect(resolveConfig(parse, { profile: 'default', default: { a: 1 }, b: 2 }).config).toMatchObject({ a: 1, b: 2 });
  });

  it('shares nothing with the definition or its argument, and never reaches a prototype', () => {
    const given = JSON.parse(
      '{"stop":[{"x":1}],"__proto__":{"polluted":1},"options":{"constructor":{"p":1}}}',
    ) as Record<string, unknown>;
    const { config } = resolveConfig(llm, given);
    (config.stop as { x: number }[])[0] = { x: 2 };
    (config.options as Record<string, unknown>).level = 9;
    expect(given.stop).toEqual([{ x: 1 }]);
    expect(resolveConfig(llm, {}).config).toEqual(pro);
    expect(Object.getPrototypeOf(config)).toBe(Object.prototype);
    expect(config.polluted).toBeUndefined();
    expect(Object.keys(config.options as object)).toEqual(['safe', 'level']);
  });

  it('gives the same again for what it resolved without a profile', () => {
    fc.assert(
      fc.property(fc.dictionary(fc.constantFrom('tokens', 'options', 'stop', 'x'), fc.jsonValue()), (config) => {
        const once = resolveConfig(llm, config).config;
        const { profile, ...rest } = once;
        expect(profile).toBe('gemini-2_5-pro');
        expect(resolveConfig(llm, rest).config).toEqual(once);
      }),
    );
  });
});
