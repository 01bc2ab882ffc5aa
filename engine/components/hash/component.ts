import { type Hash, createHash } from 'node:crypto';
import type { Component } from '../../runtime/component.js';

export const component: Component = {
  start: () => ({
    borrowsBytes: true,
    pipe: (pipe) => {
      let hash: Hash | undefined;
      return {
        lanes: {
          tags(item) {
            if (item.action === 'begin') hash = createHash('sha512');
            else if (item.action === 'write') hash?.update(item.data);
            else if (hash !== undefined) {
              pipe.object.metadata.signature = hash.digest('hex');
              hash = undefined;
            }
            return pipe.emit.tags(item);
          },
        },
        close() {
          hash = undefined;
        },
      };
    },
  }),
};
