import { performance } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';

export const definition = { id: 'bench_chatter', title: 'Chatter', lanes: { text: ['text'] } };

const stepMs = 10;

/**
 * The text sent is JSON, `{ perSecond, seconds }`: so many changes a second for so long. Of five changes four are flow
 * events (a call of the next component and its return, twice) and one is an `apaevt_sse`.
 */
export const component = {
  start: () => ({
    pipe: ({ emit, sse, result }) => ({
      lanes: {
        async text(order) {
          const { perSecond, seconds } = JSON.parse(order);
          const started = performance.now();
          let changes = 0;
          for (;;) {
            const passed = (performance.now() - started) / 1000;
            if (passed >= seconds) break;
            // A step that came late does not make up for more than ten of its kind.
            const due = Math.min(passed * perSecond, changes + (10 * perSecond * stepMs) / 1000);
            for (; changes < due; changes += 5) {
              await emit.text('a change that the next component sees');
              await emit.text('and another one');
              sse('progress', { changes });
            }
            await delay(stepMs);
          }
          result.append('changes', 'json', changes);
        },
      },
    }),
  }),
};
