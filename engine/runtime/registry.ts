import type { Definition } from '../../pipeline/catalogue.js';
import type { Component } from './component.js';

/** A provider the engine can run: its definition, and its behaviour loaded on first use. */
export interface RegisteredComponent {
  definition: Definition;
  load(): Promise<Component>;
}
