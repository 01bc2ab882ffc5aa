import type { Definition } from '../../pipeline/catalogue.js';
import type { Component } from '../runtime/component.js';
import type { RegisteredComponent } from '../runtime/registry.js';
import { anonymizeDefinition } from './anonymize/definition.js';
import { filesysDefinition } from './filesys/definition.js';
import { guardrailsDefinition } from './guardrails/definition.js';
import { hashDefinition } from './hash/definition.js';
import { llmDefinitions } from './llm/definition.js';
import { localTextOutputDefinition } from './localTextOutput/definition.js';
import { definition as parseDefinition } from './parse/definition.js';
import { preprocessorDefinition } from './preprocessor/definition.js';
import { promptDefinition } from './prompt/definition.js';
import { questionDefinition } from './question/definition.js';
import { responseDefinitions } from './response/definition.js';
import { chatDefinition, dropperDefinition, webhookDefinition } from './sources/definition.js';

/** Every provider that runs here. What a component needs is loaded when a pipeline uses it. */
export const builtinComponents: readonly RegisteredComponent[] = [
  register(webhookDefinition, () => import('./sources/component.js').then((module) => module.webhook)),
  register(chatDefinition, () => import('./sources/component.js').then((module) => module.chat)),
  register(dropperDefinition, () => import('./sources/component.js').then((module) => module.dropper)),
  register(filesysDefinition, () => import('./filesys/component.js').then((module) => module.component)),
  register(parseDefinition, () => import('./parse/component.js').then((module) => module.component)),
  register(preprocessorDefinition, () => import('./preprocessor/component.js').then((module) => module.component)),
  register(anonymizeDefinition, () => import('./anonymize/component.js').then((module) => module.component)),
  register(questionDefinition, () => import('./question/component.js').then((module) => module.component)),
  register(promptDefinition, () => import('./prompt/component.js').then((module) => module.component)),
  register(guardrailsDefinition, () => import('./guardrails/component.js').then((module) => module.component)),
  register(hashDefinition, () => import('./hash/component.js').then((module) => module.component)),
  register(localTextOutputDefinition, () =>
    import('./localTextOutput/component.js').then((module) => module.component),
  ),
  ...llmDefinitions.map((definition) =>
    register(definition, () => import('./llm/component.js').then((module) => module.component)),
  ),
  ...responseDefinitions.map((definition) =>
    register(definition, () => import('./response/component.js').then((module) => module.component)),
  ),
];

/** The one place where the type of a component's configuration is forgotten: the engine checks it against the schema. */
function register<Config>(definition: Definition, load: () => Promise<Component<Config>>): RegisteredComponent {
  return { definition, load: async () => (await load()) as unknown as Component };
}
