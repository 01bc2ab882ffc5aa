import * as vscode from 'vscode';
import type { Connections } from '../connections/connection.js';
import { statusText } from './statusText.js';

const colors = {
  normal: undefined,
  warning: new vscode.ThemeColor('statusBarItem.warningBackground'),
  error: new vscode.ThemeColor('statusBarItem.errorBackground'),
};

/** One item that shows how the current connection is doing. */
export class ConnectionStatusBar implements vscode.Disposable {
  readonly #connections: Pick<Connections, 'current' | 'onDidChange'>;
  readonly #item = vscode.window.createStatusBarItem('millrace.connection', vscode.StatusBarAlignment.Left, 0);
  readonly #subscription: vscode.Disposable;

  constructor(connections: Pick<Connections, 'current' | 'onDidChange'>) {
    this.#connections = connections;
    this.#item.name = 'Millrace Connection';
    this.#subscription = connections.onDidChange(() => this.#draw());
    this.#draw();
    this.#item.show();
  }

  dispose(): void {
    this.#subscription.dispose();
    this.#item.dispose();
  }

  #draw(): void {
    const { text, label, tooltip, severity, command } = statusText(this.#connections.current);
    this.#item.text = text;
    this.#item.tooltip = tooltip;
    this.#item.command = command;
    this.#item.backgroundColor = colors[severity];
    this.#item.accessibilityInformation = { label, role: 'button' };
  }
}
