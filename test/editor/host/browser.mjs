import { chromium } from 'playwright-core';

/** @param {import('./install.mjs').Installation} installation */
export function launchBrowser(installation) {
  return chromium.launch({
    executablePath: installation.chromium,
    args: ['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
  });
}

/** A window of its own storage that reaches nothing but the editor's server. */
export async function newWindow(browser, server) {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, acceptDownloads: false });
  const { host } = new URL(server.url);
  const elsewhere = (url) => /^(http|ws)s?:$/.test(url.protocol) && url.host !== host;
  await context.route(elsewhere, (route) => route.abort());
  return context.newPage();
}
