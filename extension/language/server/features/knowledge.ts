import { isRecord } from '../../../../pipeline/values.js';
import { servicesNotification } from '../../messages.js';
import type { Feature } from '../surroundings.js';

/** Takes what the extension knows of the connected server, and lets the editor ask again for what depends on it. */
export const knowledgeFeature: Feature = ({ connection, knowledge }, { capabilities: { workspace } }) => {
  connection.onNotification(servicesNotification, (params: unknown) => {
    knowledge.setServices(isRecord(params) ? params.services : undefined);
  });
  knowledge.onDidChange(() => {
    if (workspace?.inlayHint?.refreshSupport === true) void connection.languages.inlayHint.refresh();
    if (workspace?.semanticTokens?.refreshSupport === true) connection.languages.semanticTokens.refresh();
  });
  return {};
};
