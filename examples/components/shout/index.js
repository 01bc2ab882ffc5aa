export { component } from './component.js';
export { definition } from './definition.js';
