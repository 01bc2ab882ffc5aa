import type { Connection, ConnectionState } from '../connections/connection.js';
import { stateWord } from '../connections/stateWord.js';
import { lineText, markdownText } from './format.js';
import type { NodeIcon, ViewNode } from './viewNode.js';

/**
 * The lines of the Connections view.
 *
 * @param urlOf the address of a connection that is not connected, if it is known
 */
export function connectionNodes(
  all: readonly Connection[],
  current: Connection,
  urlOf: (connection: Connection) => string | undefined = () => undefined,
): ViewNode[] {
  const nodes = all.map((connection) => connectionNode(connection, connection === current, urlOf(connection)));
  if (all.includes(current)) return nodes;
  // The setting names one that does not exist. It can be neither tested nor changed.
  return [...nodes, { ...connectionNode(current, true, undefined), contextValue: 'missing current' }];
}

function connectionNode(connection: Connection, current: boolean, url: string | undefined): ViewNode {
  const { name, kind, state } = connection;
  const address = state.kind === 'connected' ? state.url : url;
  const label = lineText(name);
  const text = stateText(state);
  const parts = [...(current ? ['Current'] : []), text, ...(address === undefined ? [] : [lineText(address)])];
  return {
    id: `connection ${name}`,
    label,
    description: parts.join(' · '),
    icon: iconOf(state),
    contextValue: `${kind} ${current ? 'current' : 'other'}`,
    tooltip: tooltipOf(connection, current, address),
    spoken: `${label}, ${parts.join(', ')}`,
    subject: { connection },
  };
}

function stateText(state: ConnectionState): string {
  return state.kind === 'failed' ? `${stateWord(state)}: ${lineText(state.reason, 80)}` : stateWord(state);
}

function iconOf(state: ConnectionState): NodeIcon {
  switch (state.kind) {
    case 'off':
      return { id: 'circle-outline' };
    case 'connecting':
      return { id: 'loading~spin' };
    case 'connected':
      return { id: 'pass-filled', color: 'testing.iconPassed' };
    case 'waiting':
      return { id: 'sync', color: 'list.warningForeground' };
    case 'failed':
      return { id: 'error', color: 'list.errorForeground' };
  }
}

function tooltipOf({ name, kind, state }: Connection, current: boolean, address: string | undefined): string {
  const what = kind === 'local' ? 'The engine inside the editor' : 'A server';
  return [
    `**${markdownText(name)}**`,
    `${what}${current ? ', used by this workspace' : ''}`,
    ...(address === undefined ? [] : [markdownText(address)]),
    ...details(state),
  ].join('\n\n');
}

function details(state: ConnectionState): string[] {
  switch (state.kind) {
    case 'off':
    case 'waiting':
      return [`${stateText(state)}: ${markdownText(state.reason)}`];
    case 'connecting':
      return [stateText(state)];
    case 'connected':
      return [`Connected, version ${markdownText(state.serverVersion)}`];
    case 'failed':
      return [`Failed: ${markdownText(state.reason)}`, markdownText(state.hint)];
  }
}
