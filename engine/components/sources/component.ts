import type { Component } from '../../runtime/component.js';

/** The runtime routes what clients send into the lanes of these sources; here is what people are told about them. */
export const webhook = endpoint('Webhook ready - system is ready to accept requests', note('Webhook URL', '/webhook'));

export const chat = endpoint('Chat ready - system is ready to accept questions', {
  ...note('Chat URL', '/chat'),
  ...button('Open chat', '/chat'),
});

export const dropper = endpoint('Dropper ready - system is ready to process files', {
  ...note('Dropper URL', '/dropper'),
  ...button('Open dropper', '/dropper'),
});

function endpoint(readyText: string, facts: Record<string, string>): Component {
  return { start: () => ({ readyText, notes: [facts], pipe: () => ({}) }) };
}

function note(text: string, path: string): Record<string, string> {
  return {
    'url-text': text,
    'url-link': `{host}${path}`,
    'auth-text': 'Public key',
    'auth-key': '{public_auth}',
    'token-text': 'Task token',
    'token-key': '{token}',
  };
}

function button(text: string, path: string): Record<string, string> {
  return { 'button-text': text, 'button-link': `{host}${path}?auth={public_auth}` };
}
