import '../main.css';
import type { FromLiveView, ToLiveView } from '../../protocol/liveView.js';
import type { LiveHost } from '../liveHost.js';
import { startLiveView } from '../start.js';
import type { LiveStore } from '../store/store.js';
import { scenarios } from './scenarios.js';
import { stormBatch } from './storm.js';
import { themes } from './themes.js';

/** What a test, or a person in the console, can do with the page. */
export interface Demo {
  /** What the view has told its host. */
  readonly sent: FromLiveView[];
  readonly store: LiveStore;
  /** Anything, as a host that cannot be trusted would. */
  send(message: unknown): void;
  /** `perSecond` events a second, ten messages a second, until it has sent `messages`; gives the frames that were drawn. */
  storm(perSecond: number, messages: number): Promise<{ frames: number; seconds: number }>;
}

declare global {
  var demo: Demo;
}

const wanted = new URLSearchParams(location.search);
const theme = themes[wanted.get('theme') ?? 'plain'] ?? { bodyClass: '', colours: {} };
if (theme.bodyClass !== '') document.body.classList.add(theme.bodyClass);
for (const [name, colour] of Object.entries(theme.colours))
  document.documentElement.style.setProperty(`--vscode-${name}`, colour);

const sent: FromLiveView[] = [];
let listener: (message: ToLiveView) => void = () => undefined;
let state: unknown = { tab: wanted.get('tab') ?? 'now', flowAs: wanted.get('as') ?? 'graph' };
const send = (message: unknown): void => listener(message as ToLiveView);
const host: LiveHost = {
  post: (message) => {
    sent.push(message);
    if (message.type === 'ready') setTimeout(() => scenarios[wanted.get('scenario') ?? 'working']?.().forEach(send));
  },
  listen: (handler) => {
    listener = handler;
    return () => {
      listener = () => undefined;
    };
  },
  getState: () => state,
  setState: (next) => {
    state = next;
  },
};

let batches = 0;

async function storm(perSecond: number, messages: number): Promise<{ frames: number; seconds: number }> {
  let frames = 0;
  let running = true;
  const count = (): void => {
    frames++;
    if (running) requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
  const begun = performance.now();
  for (let at = 0; at < messages; at++) {
    send(stormBatch(batches++, perSecond / 10));
    const next = begun + (at + 1) * 100 - performance.now();
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, next)));
  }
  running = false;
  return { frames, seconds: (performance.now() - begun) / 1000 };
}

const { store } = startLiveView(host, document.getElementById('root') as HTMLElement);
globalThis.demo = { sent, store, send, storm };
