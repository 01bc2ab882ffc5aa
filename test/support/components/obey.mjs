/** Does what its first word says with the text that follows; everything else is passed on. */
export const definition = {
  id: 'obey',
  title: 'Obey',
  lanes: { text: ['text'] },
};

const orders = {
  fail: (rest) => {
    throw new Error(rest);
  },
  block: () => {
    for (;;);
  },
  // For so many milliseconds.
  wait: (rest) => new Promise((resolve) => setTimeout(resolve, Number(rest))),
  burn: (rest) => {
    for (const end = Date.now() + Number(rest); Date.now() < end;);
  },
  exhaust: () => {
    const kept = [];
    for (;;) kept.push(new Array(1e6).fill(kept.length));
  },
  exit: (rest) => process.exit(Number(rest)),
  loose: () => {
    setTimeout(() => {
      throw new Error('nobody caught this');
    }, 0);
  },
  pid: (_rest, { emit }) => emit.text(`${process.pid}`),
  hang: () => new Promise(() => undefined),
  never: (_rest, { signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason))),
};

export const component = {
  start: ({ config, task, log, warn }) => {
    if (config.refuse) throw new Error(config.refuse);
    if (config.spin) for (;;);
    if (config.warn) warn(config.warn);
    return {
      pipe: (context) => ({
        async open() {
          if (config.openMs) await new Promise((resolve) => setTimeout(resolve, config.openMs));
        },
        lanes: {
          async text(text) {
            const [order, rest = ''] = text.split(/ (.*)/s);
            if (Object.hasOwn(orders, order)) await orders[order](rest, context);
            else if (order === 'args') await context.emit.text(task.args.join(' '));
            else if (order === 'log') log(rest);
            else if (order === 'bigint') context.result.append('text', 'text', 1n);
            else if (order === 'garbage') (await import('node:fs')).writeSync(3, 'this is no frame, not even close');
            else if (order === 'sse') context.sse('said', { rest });
            else if (order === 'orphan') {
              const { spawn } = await import('node:child_process');
              const code = 'setTimeout(() => undefined, 20000)';
              const child = spawn(process.execPath, ['-e', code], { stdio: 'inherit' });
              await context.emit.text(`${child.pid}`);
            } else await context.emit.text(text);
          },
        },
      }),
    };
  },
};
