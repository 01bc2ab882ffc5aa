import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { root } from '../lab.mjs';
import { judge, perSecond } from '../rows.mjs';

/** Events a second that are tried, one after the other, until one is too many. */
const rates = [2500, 5000, 7500, 10_000, 15_000, 20_000];
/** Runs at one rate, of which one must be good: what else the machine does can only spoil them. */
const attempts = 3;
const leastFps = 50;
const mostLag = 100;
const tabs = ['now', 'flow', 'slowest', 'trace'];

export async function P14(lab) {
  const executablePath = findChromium();
  if (executablePath === undefined) {
    process.stdout.write('P14 SKIPPED: there is no Chromium here. Install one, or name it in CHROMIUM.\n');
    return [];
  }
  const view = path.join(root, 'dist', 'webview');
  if (!existsSync(path.join(view, 'main.js'))) throw new Error('the live view is not built: run npm run build');
  const { chromium } = await import('playwright-core');
  const pages = await servePages(view);
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox'] });
  try {
    const seconds = lab.quick ? 1.5 : 5;
    const best = async (address) => {
      const page = await browser.newPage({ viewport: { width: 1200, height: 900 } });
      await page.goto(`${pages.url}${address}`);
      // The first seconds are those of code that is not optimised yet.
      await page.evaluate((duration) => globalThis.measure(2500, duration), seconds);
      const found = await highest(page, seconds);
      await page.close();
      return found;
    };
    const ours = [];
    for (const tab of tabs) ours.push({ tab, ...(await best(`/view?tab=${tab}`)) });
    const trivial = await best('/trivial');
    const worst = ours.reduce((least, each) => (each.rate < least.rate ? each : least));
    return [
      {
        id: 'P14',
        what: `live view: events/s (1 KB) at ≥ ${leastFps} fps, p99 from message to frame ≤ ${mostLag} ms, least of its tabs`,
        ours: `${perSecond(worst.rate)} (${worst.tab}: ${worst.fps.toFixed(0)} fps, ${worst.lag.toFixed(0)} ms)`,
        reference: `${perSecond(trivial.rate)} (trivial page)`,
        ...judge(worst.rate, { floor: 5000, goal: 10_000, unit: '/s' }),
        spread: ours.map(({ tab, rate }) => `${tab} ${rate}`).join(', '),
      },
    ];
  } finally {
    await browser.close();
    pages.close();
  }
}

/** The highest of the rates that the page draws well, with what was seen at it. */
async function highest(page, seconds) {
  let best = { rate: 0, fps: 0, lag: Infinity };
  for (const rate of rates) {
    const seen = await drawn(page, rate, seconds);
    if (seen === undefined) return best;
    best = { rate, ...seen };
  }
  return best;
}

/** What a run at the rate showed, if it was drawn well. */
async function drawn(page, rate, seconds) {
  for (let run = 0; run < attempts; run++) {
    const { fps, lags } = await page.evaluate(
      ([events, duration]) => globalThis.measure(events, duration),
      [rate, seconds],
    );
    lags.sort((a, b) => a - b);
    const lag = lags[Math.min(lags.length - 1, Math.floor(lags.length * 0.99))] ?? Infinity;
    if (fps >= leastFps && lag <= mostLag) return { fps, lag };
  }
  return undefined;
}

/** The built view and the trivial page on a free port, each with the script that plays the host. */
async function servePages(view) {
  const here = path.join(root, 'bench', 'live');
  const page = (head) => `<!doctype html><html lang="en"><head><meta charset="utf-8"><link rel="icon" href="data:,">
    <script src="/host.js"></script>${head}</head><body><div id="root"></div></body></html>`;
  const html = {
    '/view': page('<link rel="stylesheet" href="/view/main.css"><script type="module" src="/view/main.js"></script>'),
    '/trivial': page('<script type="module" src="/trivial.js"></script>'),
  };
  const types = { '.js': 'text/javascript', '.css': 'text/css' };
  const server = createServer((request, response) => {
    const { pathname } = new URL(request.url, 'http://localhost');
    if (Object.hasOwn(html, pathname)) return response.setHeader('content-type', 'text/html').end(html[pathname]);
    const name = path.posix.normalize(pathname);
    const file = name.startsWith('/view/') ? path.join(view, name.slice('/view/'.length)) : path.join(here, name);
    readFile(file).then(
      (content) => response.setHeader('content-type', types[path.extname(file)] ?? 'text/plain').end(content),
      () => response.writeHead(404).end(),
    );
    return response;
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { url: `http://127.0.0.1:${server.address().port}`, close: () => server.close() };
}

/** What `CHROMIUM` names, else the first on the path. */
function findChromium() {
  const { CHROMIUM: named, PATH = '' } = process.env;
  if (named !== undefined && existsSync(named)) return named;
  const folders = PATH.split(path.delimiter).filter((folder) => folder !== '');
  const names = process.platform === 'win32' ? ['chrome.exe'] : ['chromium', 'chromium-browser', 'google-chrome'];
  return names.flatMap((name) => folders.map((folder) => path.join(folder, name))).find((file) => existsSync(file));
}
