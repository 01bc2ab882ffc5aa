/** Plays the editor for the live view, and measures how it draws. Classic script, before that of the view. */
const task = {
  type: 'task',
  token: 'bench',
  name: 'Bench',
  projectId: 'bench',
  source: 'in',
  connection: 'Bench',
  traceLevel: 'full',
  hasFile: false,
  components: [
    { id: 'in', provider: 'webhook', title: 'in', inputs: [], controls: [] },
    { id: 'split', provider: 'split', title: 'split', inputs: [{ from: 'in', lane: 'text' }], controls: [] },
    { id: 'embed', provider: 'embed', title: 'embed', inputs: [{ from: 'split', lane: 'text' }], controls: [] },
    { id: 'store', provider: 'store', title: 'store', inputs: [{ from: 'embed', lane: 'text' }], controls: [] },
  ],
};

const tell = (data) => window.dispatchEvent(new MessageEvent('message', { data }));
const tab = new URLSearchParams(location.search).get('tab');

globalThis.acquireVsCodeApi = () => ({
  postMessage: (message) => {
    if (message.type === 'ready') setTimeout(() => tell(task));
  },
  getState: () => ({ view: { tab, flowAs: 'graph' } }),
  setState: () => undefined,
});

/** Gives frames per second, and of each message the milliseconds from its sending to the frame that shows it. */
globalThis.measure = (perSecond, seconds) =>
  new Promise((resolve) => {
    const worker = new Worker('/feed.js');
    const lags = [];
    let frames = 0;
    let running = true;
    const begun = performance.now();
    const count = () => {
      frames++;
      if (running) requestAnimationFrame(count);
    };
    requestAnimationFrame(count);
    worker.onmessage = ({ data }) => {
      if (data.done) {
        running = false;
        worker.terminate();
        resolve({ fps: (frames * 1000) / (performance.now() - begun), lags });
        return;
      }
      tell(data.message);
      requestAnimationFrame(() => {
        // A task of its own comes after the frame was drawn.
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = () => {
          lags.push(performance.timeOrigin + performance.now() - data.sent);
          port1.close();
        };
        port2.postMessage(0);
      });
    };
    worker.postMessage({ perSecond, seconds });
  });
