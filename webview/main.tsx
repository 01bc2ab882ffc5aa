import './main.css';
import { type EditorApi, editorHost } from './editorHost.js';
import { startLiveView } from './start.js';

const { acquireVsCodeApi } = globalThis as { acquireVsCodeApi?: () => EditorApi };
const root = document.getElementById('root') ?? document.body.appendChild(document.createElement('div'));
if (acquireVsCodeApi !== undefined) {
  startLiveView(editorHost(acquireVsCodeApi()), root);
} else {
  const { showPage } = await import('./browser/page.js');
  await showPage(root);
}
