import { Type } from '@sinclair/typebox';
import type { Definition } from '../../../pipeline/catalogue.js';

export const definition: Definition = {
  id: 'parse',
  title: 'Parser',
  description:
    'Reads the text, tables and media of a file: PDF, DOCX, XLSX, PPTX, OpenDocument, HTML, e-mail, CSV, Markdown, JSON and plain text in any encoding. ' +
    'Files inside a ZIP archive or a mail become objects of their own. A file that cannot be read gives a warning, not an error.',
  classType: ['data'],
  capabilities: [],
  lanes: { tags: ['text', 'table', 'image', 'video', 'audio'] },
  control: { takes: {}, offers: [] },
  config: Type.Object({}),
};
