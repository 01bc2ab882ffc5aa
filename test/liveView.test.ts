import { mkdirSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Browser, Page } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { findChromium, startChromium } from '../webview/testing/browser.js';
import type { Demo } from '../webview/testing/demo.js';
import { serveDemo } from '../webview/testing/demoServer.js';
import { accessibilityViolations } from './support/axe.js';

/** The live view in a real browser, fed with made-up messages. Every test keeps pictures in .cache/screenshots. */
const root = fileURLToPath(new URL('..', import.meta.url));
const pictures = path.join(root, '.cache', 'screenshots');
const chromium = findChromium();
if (chromium === undefined)
  process.stderr.write(
    '\nSKIPPED: the live view is not tested, because no Chromium was found. Set CHROMIUM to one.\n\n',
  );

declare const demo: Demo;

interface Look {
  scenario?: string;
  tab?: string;
  theme?: string;
  flowAs?: string;
  width?: number;
  height?: number;
  reducedMotion?: 'reduce';
  forcedColors?: 'active';
}

describe.skipIf(chromium === undefined)('the live view', () => {
  let browser: Browser;
  let server: { url: string; close(): Promise<void> };

  beforeAll(async () => {
    mkdirSync(pictures, { recursive: true });
    [server, browser] = await Promise.all([serveDemo(root), startChromium(chromium ?? '')]);
  });
  afterAll(async () => {
    await browser?.close();
    await server?.close();
  });

  /** Opens the page, does something with it, and fails when the page complained about anything. */
  async function show(look: Look, act: (page: Page) => Promise<void>): Promise<void> {
    const { scenario = 'working', tab = 'now', theme = 'dark', flowAs = 'graph', width = 900, height = 700 } = look;
    const page = await browser.newPage({
      viewport: { width, height },
      reducedMotion: look.reducedMotion ?? null,
      forcedColors: look.forcedColors ?? null,
    });
    const complaints: string[] = [];
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text());
    });
    page.setDefaultTimeout(20_000);
    try {
      await page.goto(`${server.url}?${new URLSearchParams({ scenario, tab, theme, as: flowAs }).toString()}`);
      await page.locator('[role=tabpanel]').waitFor();
      await act(page);
      expect(complaints).toEqual([]);
    } finally {
      await page.close();
    }
  }

  const picture = (page: Page, name: string) => page.screenshot({ path: path.join(pictures, `liveView-${name}.png`) });
  const text = (page: Page, selector: string) => page.locator(selector).first().innerText();

  it('shows how the run is doing now', () =>
    show({}, async (page) => {
      await page.getByText('12,480').waitFor();
      const all = await text(page, '.app');
      for (const part of [
        'Invoices',
        'Working',
        '12,480',
        'of 20,000 · 4 failed',
        '602 MB',
        'peak 91%',
        'invoice-2053.pdf',
      ])
        expect(all).toContain(part);
      expect(all).toContain('too many requests (429)');
      expect(all).toContain('18,749');
      expect(await page.locator('.spark .sparkLine').count()).toBe(4);
    }));

  it('stops the run at a press, once', () =>
    show({}, async (page) => {
      await page.getByRole('button', { name: 'Stop' }).dblclick();
      await page.getByText('Stopping…').waitFor();
      expect(await page.evaluate(() => demo.sent.filter(({ type }) => type === 'stop').length)).toBe(1);
    }));

  it('moves through tabs, graph and list by keyboard', () =>
    show({}, async (page) => {
      await page.getByText('12,480').waitFor();
      await page.getByRole('tab', { name: 'Now' }).focus();
      await page.keyboard.press('ArrowRight');
      expect(await page.getByRole('tab', { selected: true }).innerText()).toBe('Flow');
      await page.getByRole('button', { name: /^Find amounts, / }).waitFor();
      // From the tab over the two kinds of view to the components of the graph.
      for (let press = 0; press < 5; press++) await page.keyboard.press('Tab');
      expect(await page.evaluate(() => document.activeElement?.getAttribute('aria-label'))).toMatch(
        /^Split into chunks, /,
      );
      await page.keyboard.press('Space');
      await page.getByRole('complementary', { name: 'Component Split into chunks' }).waitFor();
      await page.keyboard.press('Enter');
      expect(await page.evaluate(() => demo.sent.at(-1))).toEqual({ type: 'openComponent', id: 'preprocessor_1' });
      await page.keyboard.press('Escape');
      await page.getByRole('complementary').waitFor({ state: 'detached' });

      await page.getByRole('tab', { name: 'Flow' }).focus();
      await page.keyboard.press('End');
      await page.getByRole('listbox').focus();
      for (let press = 0; press < 9; press++) await page.keyboard.press('ArrowDown');
      expect(await text(page, '[role=option][aria-selected=true]')).toContain('invoice-2035.pdf');
      await page.getByRole('article', { name: /invoice-2035/ }).waitFor();
      await page.keyboard.press('Home');
      expect(await text(page, '[role=option][aria-selected=true]')).toContain('invoice-2053.pdf');
    }));

  it('shows the pipeline as a graph and, with the same facts, as a table', () =>
    show({ tab: 'flow' }, async (page) => {
      const node = page.getByRole('button', { name: /^Language model, llm_openai, 40 calls, .* 4 errors/ });
      await node.waitFor();
      expect(await page.locator('.node').count()).toBe(9);
      expect(await page.locator('.mark').count()).toBe(4);
      // The twin is there for a screen reader while the graph is shown.
      expect(await page.locator('.visuallyHidden table tbody tr').count()).toBe(9);
      await node.click();
      await page.getByText('Recent inputs').waitFor();
      expect(await text(page, '.sidePanel')).toContain('What is the total of this invoice?');
      await picture(page, 'flow-selected');
      await node.dblclick();
      expect(await page.evaluate(() => demo.sent.at(-1))).toEqual({ type: 'openComponent', id: 'llm_openai_1' });
      await page.getByRole('button', { name: 'Table' }).click();
      const row = page.getByRole('row', { name: /Language model/ });
      expect(await row.innerText()).toMatch(/40[\s\S]*936 ms[\s\S]*%[\s\S]*4[\s\S]*llm of Find amounts/);
    }));

  it('shows where the time of a slow object went', () =>
    show({ tab: 'slowest' }, async (page) => {
      // The whole row can be pressed, and by keyboard the name.
      await page
        .getByRole('row', { name: /invoice-2020/ })
        .locator('.cellTime')
        .click();
      await page.getByRole('article', { name: /invoice-2020/ }).waitFor();
      await page.getByRole('button', { name: /invoice-2024/ }).press('Enter');
      await page.getByRole('article', { name: /invoice-2024/ }).waitFor();
      expect(await page.locator('.spanName').allInnerTexts()).toEqual([
        'Read documents',
        'Split into chunks',
        'Embed',
        'Find amounts',
        'Notes',
        'Language model',
        'Ledger',
        'Answers',
      ]);
      await page.locator('.spanRow').nth(1).click();
      await page.getByText('Northwind Traders').first().waitFor();
      expect(await page.evaluate(() => demo.sent.some(({ type }) => type === 'trace'))).toBe(false);
      await picture(page, 'slowest-chosen');
    }));

  it('asks for a trace that it has not seen, and says kindly when it is gone', () =>
    show({ tab: 'slowest', scenario: 'empty' }, async (page) => {
      await page.getByText('No object has been completed yet').waitFor();
      await page.evaluate(() => {
        const slowestDocs = [7, 8].map((beginSeq) => ({
          name: `old-${beginSeq}.pdf`,
          elapsed: 2,
          beginTime: 5,
          beginSeq,
        }));
        demo.send({ type: 'changes', status: { state: 3, slowestDocs }, flow: [], errors: [], warnings: [], lost: [] });
      });
      await page.getByRole('button', { name: 'old-7.pdf' }).click();
      await page.getByText('Asking the server').waitFor();
      expect(await page.evaluate(() => demo.sent.at(-1))).toEqual({ type: 'trace', beginSeq: 7 });
      await page.evaluate(() => demo.send({ type: 'traceLost', beginSeq: 7, reason: 'Only the newest are kept.' }));
      await page.getByText('Only the newest are kept.').waitFor();
      await picture(page, 'slowest-lost');
      await page.getByRole('button', { name: 'old-8.pdf' }).click();
      const event = { id: 0, trace: {}, time: 5 };
      await page.evaluate(
        ([begin, end]) => demo.send({ type: 'trace', beginSeq: 8, events: [begin, end] }),
        [
          { ...event, op: 'begin', pipes: ['old-8.pdf'], seqNo: 8 },
          { ...event, op: 'end', pipes: [], seqNo: 9, time: 7 },
        ],
      );
      await page.getByRole('article', { name: /old-8/ }).waitFor();
    }));

  it('filters objects by name, by error and by the text that went through them', () =>
    show({ tab: 'trace' }, async (page) => {
      const search = page.getByRole('searchbox');
      const count = page.locator('.traceCount');
      await count.getByText('44 objects').waitFor();
      await search.fill('INVOICE-2011');
      await count.getByText('1 of 44 objects').waitFor();
      await search.fill('too many requests');
      await count.getByText('4 of 44 objects').waitFor();
      await search.fill('northwind');
      await count.getByText('40 of 44 objects').waitFor();
      await page.getByLabel('Which objects').selectOption('failed');
      await count.getByText('4 of 44 objects').waitFor();
      await search.fill('nothing has this');
      await page.getByText('No object matches').waitFor();
      expect(await text(page, '.idle')).toMatch(/Idle[\s\S]*41\.6 s[\s\S]*Longest idle stretch[\s\S]*4\.20 s/);
    }));

  it('stands still for a person who reads further down, and offers what is newer', () =>
    show({ tab: 'trace', scenario: 'crowded' }, async (page) => {
      const list = page.getByRole('listbox');
      await list.waitFor();
      expect(await page.getByRole('listbox').getByRole('option').count()).toBeLessThan(60);
      await list.evaluate((element) => (element.scrollTop = 3000));
      const shown = page.locator('[aria-posinset="110"]');
      await shown.waitFor();
      const before = await shown.innerText();
      await page.evaluate(() => demo.storm(1000, 3));
      await page.getByRole('button', { name: 'Show newer objects' }).waitFor();
      expect(await shown.innerText()).toBe(before);
      await page.getByRole('button', { name: 'Show newer objects' }).click();
      await page
        .getByRole('option', { name: /object-\d+\.txt/ })
        .first()
        .waitFor();
    }));

  it('shows data as text, never as HTML', () =>
    show({ tab: 'trace', scenario: 'empty' }, async (page) => {
      const evil = '<img src=x onerror="document.title=\'run\'"><b>bold</b>';
      const event = { id: 0, time: 5, trace: {} };
      await page.evaluate(
        ([flow, note]) => demo.send({ type: 'changes', flow, errors: [note], warnings: [], lost: [] }),
        [
          [
            { ...event, op: 'begin', pipes: [evil], seqNo: 1 },
            { ...event, op: 'enter', pipes: [evil, 'parse_1'], seqNo: 2, trace: { lane: evil, data: { text: evil } } },
            { ...event, op: 'leave', pipes: [evil], seqNo: 3, trace: { result: 'error', error: evil } },
            { ...event, op: 'end', pipes: [], seqNo: 4, result: { text: evil } },
          ],
          { seqNo: 5, time: 5, text: evil },
        ] as const,
      );
      await page.getByRole('listbox').getByRole('option').click();
      await page.locator('.spanRow').click();
      expect(await text(page, '.waterfall .data')).toContain('<b>bold</b>');
      await page.getByRole('tab', { name: 'Now' }).click();
      await page.getByText(evil).first().waitFor();
      expect(await page.locator('img, b').count()).toBe(0);
      expect(await page.title()).toBe('Live view');
    }));

  it('does nothing with messages that are malformed', () =>
    show({}, async (page) => {
      await page.getByText('12,480').waitFor();
      await page.evaluate(() => {
        const wrong: unknown[] = [null, 4, 'x', {}, { type: 'task' }, { type: 'link', state: 9 }, { type: 'trace' }];
        for (const message of wrong) demo.send(message);
        demo.send({ type: 'changes', flow: [{ op: 'enter' }, null], errors: [{}], warnings: 3, lost: [[]] });
      });
      await page.evaluate(() => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve))));
      expect(await text(page, '.app')).toContain('12,480');
    }));

  it('goes on drawing under ten thousand events a second, and remembers no more than before', () =>
    show({ tab: 'flow' }, async (page) => {
      await page.locator('.node').first().waitFor();
      const sizes = () =>
        page.evaluate(() => {
          const { run, history, errors } = demo.store.model;
          return [run?.objects.length, run?.objects.spans, history.cpu.length, errors.ring.length];
        });
      await page.evaluate(() => demo.storm(10_000, 25));
      const before = await sizes();
      const drawn: string[] = [];
      for (const tab of ['Now', 'Flow', 'Slowest', 'Trace']) {
        await page.getByRole('tab', { name: tab }).click();
        const { frames, seconds } = await page.evaluate(() => demo.storm(10_000, 10));
        drawn.push(`${tab} ${(frames / seconds).toFixed(0)}`);
        // A machine that is busy draws less; a view that works per event would not draw at all.
        expect(frames).toBeGreaterThan(5);
      }
      process.stderr.write(`The live view at 10,000 events a second, frames a second: ${drawn.join(', ')}\n`);
      expect(before[0]).toBe(2000);
      const after = await sizes();
      expect([after[0], after[1], after[3]]).toEqual([before[0], before[1], before[3]]);
      expect(after[2]).toBeLessThanOrEqual(300);
      await page.getByText('2,000 objects').waitFor();
    }));

  it('tells its host when it is ready', () =>
    show({}, async (page) => {
      expect(await page.evaluate(() => demo.sent.slice(0, 2))).toEqual([
        { type: 'ready', lastSeq: 0 },
        { type: 'visible', visible: true },
      ]);
    }));

  const said: Record<string, string> = {
    loading: 'Loading',
    starting: 'Preparing',
    empty: 'Waiting for work',
    untraced: 'Working',
    crowded: 'Archive of the quarterly reports',
    reconnecting: 'The connection is lost',
    failed: 'The server refused the key.',
    lost: '1,226 events did not arrive',
    ended: 'Completed',
    crashed: 'The run failed with exit code 134.',
  };
  for (const [scenario, words] of Object.entries(said))
    it(`has an answer to what is ${scenario}, on every tab and without obstacles`, () =>
      show({ scenario, theme: 'light' }, async (page) => {
        for (const tab of ['Now', 'Flow', 'Slowest', 'Trace']) {
          await page.getByRole('tab', { name: tab }).click();
          await page.locator('.app', { hasText: words }).waitFor();
          expect((await text(page, '[role=tabpanel]')).length).toBeGreaterThan(10);
          await picture(page, `${scenario}-${tab.toLowerCase()}`);
          expect(await accessibilityViolations(page)).toEqual([]);
        }
      }));

  for (const theme of ['plain', 'light', 'dark', 'contrast'])
    for (const width of [900, 420])
      it(`has no obstacles in the colours ${theme}, ${width} pixels wide`, () =>
        show({ theme, width, reducedMotion: 'reduce' }, async (page) => {
          for (const tab of ['Now', 'Flow', 'Slowest', 'Trace']) {
            await page.getByRole('tab', { name: tab }).click();
            if (tab === 'Flow') await page.locator('.node').nth(1).click();
            if (tab === 'Slowest') await page.locator('.rowButton').first().click();
            if (tab === 'Trace') await page.getByRole('listbox').getByRole('option').nth(6).click();
            expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBeLessThanOrEqual(width);
            await picture(page, `${theme}-${width}-${tab.toLowerCase()}`);
            expect(await accessibilityViolations(page)).toEqual([]);
          }
        }));

  it('can be seen in the forced colours of a system', () =>
    show({ theme: 'plain', forcedColors: 'active', tab: 'flow' }, async (page) => {
      await page.locator('.node').first().waitFor();
      await picture(page, 'forced-flow');
    }));
});
