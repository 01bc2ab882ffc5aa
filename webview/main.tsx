import './main.css';
import { findHost } from './host.js';
import { startLiveView } from './start.js';

const host = await findHost();
const root = document.getElementById('root') ?? document.body.appendChild(document.createElement('div'));
startLiveView(host, root);
