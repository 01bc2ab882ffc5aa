import { createConnection, ProposedFeatures } from 'vscode-languageserver/node.js';
import { bundledCatalogue } from '../../../pipeline/bundledCatalogue.js';
import { serve } from './serve.js';

serve(createConnection(ProposedFeatures.all), bundledCatalogue());
