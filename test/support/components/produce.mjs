import { Buffer } from 'node:buffer';

/** A source that makes `count` objects of its own and is then done. */
export const definition = {
  id: 'produce',
  title: 'Produce',
  lanes: { _source: ['tags', 'text'] },
  classType: ['source'],
};

export const component = {
  start: ({ config, signal }) => ({
    pipe: () => ({}),
    async run(feed) {
      for (let number = 0; number < (config.count ?? 0); number++) {
        const entry = { name: `object ${number}`, url: `made://${number}`, mimeType: 'text/plain', size: 6 };
        await feed.object(entry, (writer) => writer.write(Buffer.from(`text ${number}`)));
      }
      if (config.fail) throw new Error(config.fail);
      if (config.wait) await new Promise((resolve) => signal.addEventListener('abort', resolve));
    },
  }),
};
