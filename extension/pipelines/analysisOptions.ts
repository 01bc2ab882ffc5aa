import * as vscode from 'vscode';
import type { AnalysisOptions } from '../../pipeline/analysis.js';
import type { Catalogue } from '../../pipeline/catalogue.js';
import { readSeverities } from '../../pipeline/rules.js';
import { settings } from '../identifiers.js';
import { SurroundingFiles } from '../language/surroundingFiles.js';

/** What to check a pipeline file with. */
export type AnalysisOptionsOf = (file: vscode.Uri) => AnalysisOptions;

/** What the language server goes by as well: the severities of the settings, and the variables around the file. */
export function analysisOptions(catalogue: Catalogue): AnalysisOptionsOf {
  return (file) => {
    const { textDocuments, workspaceFolders = [] } = vscode.workspace;
    const files = new SurroundingFiles(process.env, (uri) =>
      textDocuments.find((each) => each.uri.toString() === vscode.Uri.parse(uri).toString())?.getText(),
    );
    files.setFolders(workspaceFolders.map(({ uri }) => uri.toString()));
    return {
      catalogue,
      environment: new Set(files.environment(file.toString()).keys()),
      severities: readSeverities(vscode.workspace.getConfiguration('millrace', file).get(settings.severities)),
    };
  };
}
