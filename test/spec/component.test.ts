import { describe, expect, it } from 'vitest';
import { echo } from '../support/pipelines.js';
import { specSession } from './session.js';

const session = specSession();
const [source, out] = echo.components;

async function errorsOf(...components: unknown[]): Promise<string> {
  return (await session.client.validate({ source: 'in', components })).errors.join('\n');
}

describe('Component', () => {
  it('`id`: required, a text', async () => {
    for (const id of [undefined, '', 7]) expect(await errorsOf(source, { ...out, id })).toMatch(/"id" must/);
  });

  it('`id`: unique in the pipeline', async () => {
    expect(await errorsOf(source, out, { ...out })).toMatch(/"out".* used twice/);
  });

  it('`provider`: required, a text', async () => {
    for (const provider of [undefined, '', 7])
      expect(await errorsOf(source, { ...out, provider })).toMatch(/"provider" must/);
  });

  it('`config`: required, an object', async () => {
    for (const config of [undefined, 'x', []])
      expect(await errorsOf(source, { ...out, config })).toMatch(/"config" must/);
  });

  it('`config`: may be empty', async () => {
    expect(await errorsOf({ ...source, config: {} }, { ...out, config: {} })).toBe('');
  });

  it('`config` has the settings of the provider', async () => {
    const named = { ...out, provider: 'response_text', config: { laneName: 'mine' } };
    const { token } = await session.client.use({ pipeline: { source: 'in', components: [source, named] } });
    expect(await session.client.send(token, 'x')).toMatchObject({ mine: ['x\n\n'] });
    await session.client.terminate(token);
  });

  it('`config.mode` equal to `Source` makes a component the implied source', async () => {
    const other = { id: 'other', provider: 'webhook', config: {} };
    for (const components of [
      [source, other, out],
      [other, source, out],
    ]) {
      expect((await session.client.validate({ components })).resolved).toEqual({ id: 'in', provider: 'webhook' });
    }
    const nobody = { components: [{ ...source, config: { mode: 'source' } }, out] };
    expect((await session.client.validate(nobody)).errors).toEqual([expect.stringContaining('source')]);
  });

  it('`input`: not required', async () => {
    expect(await errorsOf(source)).toBe('');
  });

  it('`input`: a list of links, each from a component and a lane', async () => {
    expect(await errorsOf(source, out)).toBe('');
    expect(await errorsOf(source, { ...out, input: {} })).toMatch(/"input" must/);
    expect(await errorsOf(source, { ...out, input: [{ lane: 'text' }] })).toMatch(/"from" must/);
    expect(await errorsOf(source, { ...out, input: [{ from: 'in' }] })).toMatch(/"lane" must/);
  });

  it('input link `from`: the id of another component', async () => {
    expect(await errorsOf(source, { ...out, input: [{ from: 'nobody', lane: 'text' }] })).toContain('"nobody"');
  });

  it('input link `lane`: the output lane whose data arrives', async () => {
    const link = (id: string, lane: string) => ({
      id,
      provider: `response_${lane}`,
      config: {},
      input: [{ from: 'in', lane }],
    });
    const components = [source, link('texts', 'text'), link('pictures', 'image')];
    const { token } = await session.client.use({ pipeline: { source: 'in', components } });
    expect(await session.client.send(token, 'x', {}, 'text/plain')).toMatchObject({
      result_types: ['text'],
      text: ['x\n\n'],
    });
    const picture = new Uint8Array([0x89, 0x50, 0x4e, 0x47]);
    expect(await session.client.send(token, picture, {}, 'image/png')).toMatchObject({ result_types: ['image'] });
    await session.client.terminate(token);
  });

  it('input link `from`: the component whose data arrives', async () => {
    const mask = { id: 'mask', provider: 'anonymize_text', config: {}, input: [{ from: 'in', lane: 'text' }] };
    const answer = { ...out, provider: 'response_text' };
    for (const [from, text] of [
      ['in', 'ann@example.com'],
      ['mask', '███████████████'],
    ]) {
      const components = [source, mask, { ...answer, input: [{ from, lane: 'text' }] }];
      const { token } = await session.client.use({ pipeline: { source: 'in', components } });
      expect(await session.client.send(token, 'ann@example.com')).toMatchObject({ text: [`${text}\n\n`] });
      await session.client.terminate(token);
    }
  });
});
