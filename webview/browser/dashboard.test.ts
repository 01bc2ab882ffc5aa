import path from 'node:path';
import type { Browser, Page } from 'playwright-core';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { MillraceClient } from '../../client/typescript/src/index.js';
import { startServer, type TestServer } from '../../test/support/server.js';
import { findChromium, startChromium } from '../testing/browser.js';

const root = path.join(import.meta.dirname, '..', '..');
const executable = findChromium();
if (executable === undefined)
  process.stderr.write('SKIPPED: the dashboard in a browser, for there is no Chromium here\n');

const noisy = {
  name: 'Noisy pipeline <b>',
  project_id: 'dashboard',
  source: 'in',
  components: [
    { id: 'in', provider: 'webhook', config: { mode: 'Source' } },
    { id: 'chatter', provider: 'bench_chatter', config: {}, input: [{ from: 'in', lane: 'text' }] },
    { id: 'listener', provider: 'bench_listener', config: {}, input: [{ from: 'chatter', lane: 'text' }] },
  ],
};

describe.skipIf(executable === undefined)('the dashboard in a browser', () => {
  let browser: Browser;
  let server: TestServer;
  let client: MillraceClient;
  let page: Page;
  /** What the page complained about, refusals of its content security policy among it. */
  let complaints: string[];

  beforeAll(async () => {
    server = await startServer({ args: ['--components', path.join(root, 'bench', 'components')] });
    client = new MillraceClient({ uri: server.url, auth: server.key });
    await client.connect();
    browser = await startChromium(executable ?? '');
  });
  afterAll(async () => {
    await browser.close();
    await client.disconnect();
    await server.stop();
  });
  afterEach(async () => {
    await page.context().close();
    for (const { token } of await client.getTasks()) await client.terminate(token);
  });

  async function open(fragment = ''): Promise<void> {
    page = await (await browser.newContext()).newPage();
    complaints = [];
    page.on('console', (message) => {
      if (message.type() === 'error') complaints.push(message.text());
    });
    page.on('pageerror', (error) => complaints.push(error.message));
    await page.goto(`${server.url}/${fragment}`);
  }

  it('asks for the key, refuses a wrong one, and lists what runs as it comes and goes', async () => {
    await open();
    const input = page.getByLabel('API key of this server');
    await input.fill('not the key');
    await page.keyboard.press('Enter');
    await page.getByRole('alert').getByText('Invalid API key').waitFor();
    await input.fill(server.key);
    await page.keyboard.press('Enter');
    await page.getByText('Nothing is running').waitFor();
    const { token } = await client.use({ pipeline: noisy, ttl: 0 });
    await page.getByRole('button', { name: 'Noisy pipeline <b>' }).waitFor();
    await client.terminate(token);
    await page.getByText('Nothing is running').waitFor();
    expect(complaints).toEqual([]);
  });

  it('takes the key out of the address, shows the task that is chosen, and keeps both in a reload', async () => {
    const { token } = await client.use({ pipeline: noisy, ttl: 0, pipelineTraceLevel: 'summary' });
    await open(`#key=${server.key}`);
    await page.getByRole('button', { name: 'Noisy pipeline' }).click();
    expect(page.url()).toBe(`${server.url}/`);
    await page.getByRole('tab', { name: 'Trace' }).click();
    await client.send(token, JSON.stringify({ perSecond: 500, seconds: 0.3 }), { name: 'first.txt' }, 'text/plain');
    await page.getByText('first.txt').first().waitFor();
    await page.reload();
    await page.getByText('first.txt').first().waitFor();
    expect(await page.evaluate(() => JSON.stringify([{ ...localStorage }, document.cookie]))).toBe('[{},""]');
    await page.getByRole('button', { name: 'Stop', exact: true }).click();
    await expect.poll(async () => (await client.getTaskStatus(token)).completed).toBe(true);
    await page.getByRole('button', { name: 'All tasks' }).click();
    await page.getByText('Nothing is running').waitFor();
    expect(complaints).toEqual([]);
  });

  it('forgets the key when a person signs out', async () => {
    await client.use({ pipeline: noisy, ttl: 0 });
    await open(`#key=${server.key}`);
    await page.getByRole('button', { name: 'Noisy pipeline' }).click();
    await page.getByRole('button', { name: 'Sign out' }).click();
    await page.getByLabel('API key of this server').waitFor();
    expect(await page.evaluate(() => sessionStorage.length)).toBe(0);
  });
});
