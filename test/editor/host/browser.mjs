import { chromium } from 'playwright-core';

/** @param {import('./install.mjs').Installation} installation */
export function launchBrowser(installation) {
  return chromium.launch(launchOptions(installation));
}

/** One browser for several processes, which `connectBrowser` reaches by its address. */
export function serveBrowser(installation) {
  return chromium.launchServer({ ...launchOptions(installation), host: '127.0.0.1' });
}

export function connectBrowser(address) {
  return chromium.connect(address);
}

const launchOptions = ({ chromium: executablePath }) => ({
  executablePath,
  args: [
    ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run', '--disable-background-networking'],
    // Nothing but this machine has an address.
    '--host-resolver-rules=MAP * ~NOTFOUND , EXCLUDE 127.0.0.1',
  ],
});

/** A window of its own storage. */
export async function newWindow(browser) {
  const context = await browser.newContext({
    viewport: { width: 1280, height: 800 },
    acceptDownloads: false,
    reducedMotion: 'reduce',
    // The server would pack 15 MB for every window, on the processors that the window waits for.
    extraHTTPHeaders: { 'accept-encoding': 'identity' },
  });
  return context.newPage();
}
