import { describe, expect, it } from 'vitest';
import type { Component, StartedComponent, TaskContext } from '../../runtime/component.js';
import { chat, dropper, webhook } from './component.js';
import { sourceDefinitions } from './definition.js';

describe('the sources that clients send to', () => {
  it('say that they are ready in the words existing clients wait for', () => {
    expect(start(webhook).readyText).toBe('Webhook ready - system is ready to accept requests');
    expect(start(chat).readyText).toBe('Chat ready - system is ready to accept questions');
    expect(start(dropper).readyText).toBe('Dropper ready - system is ready to process files');
  });

  it('publish one note with their address, the public key and the task token', () => {
    expect(start(webhook).notes).toEqual([
      {
        'url-text': 'Webhook URL',
        'url-link': '{host}/webhook',
        'auth-text': 'Public key',
        'auth-key': '{public_auth}',
        'token-text': 'Task token',
        'token-key': '{token}',
      },
    ]);
  });

  it.each([
    ['chat', chat],
    ['dropper', dropper],
  ])('%s offers a button that opens its page with the public key', (name, component) => {
    const [note] = start(component).notes ?? [];
    expect(note).toMatchObject({ 'url-link': `{host}/${name}`, 'button-link': `{host}/${name}?auth={public_auth}` });
  });

  it('are known as sources and list what they produce', () => {
    expect(sourceDefinitions.map(({ id, classType }) => [id, ...classType])).toEqual([
      ['webhook', 'source'],
      ['chat', 'source'],
      ['dropper', 'source'],
    ]);
    expect(sourceDefinitions.map(({ lanes }) => lanes._source?.length)).toEqual([6, 1, 1]);
  });
});

function start(component: Component): StartedComponent {
  return component.start({} as TaskContext) as StartedComponent;
}
