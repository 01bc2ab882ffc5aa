import type { Component } from '../../runtime/component.js';
import { DocumentEmitter } from './documents.js';
import { ParsePipe } from './parsePipe.js';
import { findThreadEntry } from './threadEntry.js';
import { makeExtractor } from './threads.js';

export const component: Component = {
  start() {
    const extractor = makeExtractor(findThreadEntry());
    return {
      borrowsBytes: true,
      pipe(context) {
        const pipe = new ParsePipe(context, new DocumentEmitter(context, extractor));
        return {
          open: () => pipe.reset(),
          lanes: { tags: (item) => pipe.take(item) },
        };
      },
      stop: () => extractor.stop(),
    };
  },
};
