import { randomBytes } from 'node:crypto';
import * as vscode from 'vscode';
import { LiveLink, type LiveLinkOptions } from './liveLink.js';
import { liveHtml } from './liveHtml.js';

export interface LivePanelOptions extends Omit<LiveLinkOptions, 'post'> {
  readonly extensionUri: vscode.Uri;
  readonly onDispose: () => void;
}

/** Folders that the panels may load from. */
export function panelResources(extensionUri: vscode.Uri): vscode.Uri {
  return vscode.Uri.joinPath(extensionUri, 'dist', 'webview');
}

/** One panel with the live view of one task. Disposing it closes the panel, and closing the panel disposes it. */
export class LivePanel implements vscode.Disposable {
  readonly #panel: vscode.WebviewPanel;
  readonly #link: LiveLink;
  readonly #disposables: vscode.Disposable[];
  #disposed = false;

  constructor(panel: vscode.WebviewPanel, { extensionUri, onDispose, ...options }: LivePanelOptions) {
    this.#panel = panel;
    const { webview } = panel;
    const folder = panelResources(extensionUri);
    webview.options = { enableScripts: true, localResourceRoots: [folder] };
    this.#link = new LiveLink({
      ...options,
      post: (message) => (this.#disposed ? undefined : webview.postMessage(message)),
    });
    this.#disposables = [
      webview.onDidReceiveMessage((message: unknown) => this.#link.receive(message)),
      panel.onDidChangeViewState(() => {
        // Hidden panels are unloaded; the page says that it is ready when it is loaded again.
        if (!panel.visible) this.#link.hide();
      }),
      panel.onDidDispose(() => {
        this.#end();
        onDispose();
      }),
      this.#link,
    ];
    const address = (name: string): string => webview.asWebviewUri(vscode.Uri.joinPath(folder, name)).toString();
    panel.iconPath = {
      light: vscode.Uri.joinPath(extensionUri, 'docs', 'images', 'pipeline-light.svg'),
      dark: vscode.Uri.joinPath(extensionUri, 'docs', 'images', 'pipeline-dark.svg'),
    };
    webview.html = liveHtml({
      script: address('main.js'),
      style: address('main.css'),
      cspSource: webview.cspSource,
      nonce: randomBytes(16).toString('base64'),
    });
  }

  reveal(): void {
    this.#panel.reveal(undefined, true);
  }

  dispose(): void {
    if (this.#disposed) return;
    this.#end();
    this.#panel.dispose();
  }

  #end(): void {
    this.#disposed = true;
    for (const disposable of this.#disposables.splice(0)) disposable.dispose();
  }
}
