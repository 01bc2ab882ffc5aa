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
    for (const id of [undefined, '', 7]) expect(await errorsOf(source, { ...out, id })).toMatch(/id/);
  });

  it('`id`: unique in the pipeline', async () => {
    expect(await errorsOf(source, out, { ...out })).toContain('"out"');
  });

  it('`provider`: required, a text', async () => {
    for (const provider of [undefined, '', 7]) expect(await errorsOf(source, { ...out, provider })).toMatch(/provider/);
  });

  it('`config`: required, an object', async () => {
    for (const config of [undefined, 'x', []]) expect(await errorsOf(source, { ...out, config })).toMatch(/config/);
  });

  it('`config`: may be empty', async () => {
    expect(await errorsOf({ ...source, config: {} }, { ...out, config: {} })).toBe('');
  });

  it('`config.mode` equal to `Source` makes a component the implied source', async () => {
    const { resolved } = await session.client.validate({ components: echo.components });
    expect(resolved).toEqual({ id: 'in', provider: 'webhook' });
  });

  it('`input`: not required', async () => {
    expect(await errorsOf(source)).toBe('');
  });

  it('`input`: a list of links, each from a component and a lane', async () => {
    expect(await errorsOf(source, out)).toBe('');
    expect(await errorsOf(source, { ...out, input: {} })).toMatch(/input/);
    expect(await errorsOf(source, { ...out, input: [{ lane: 'text' }] })).toMatch(/from/);
    expect(await errorsOf(source, { ...out, input: [{ from: 'in' }] })).toMatch(/lane/);
  });

  it('input link `from`: the id of another component', async () => {
    expect(await errorsOf(source, { ...out, input: [{ from: 'nobody', lane: 'text' }] })).toContain('"nobody"');
  });

  it('input link `lane`: the output lane whose data arrives', async () => {
    const tags = { id: 'tags', provider: 'hash', config: {}, input: [{ from: 'in', lane: 'tags' }] };
    const { token } = await session.client.use({ pipeline: { source: 'in', components: [source, tags, out] } });
    expect(await session.client.send(token, 'x')).toMatchObject({ text: [expect.stringContaining('x')] });
    await session.client.terminate(token);
  });
});
