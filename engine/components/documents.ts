import type { Doc, DocMetadata } from '../../protocol/data.js';
import type { ObjectInfo } from '../runtime/component.js';

/** Path and name of an object with forward slashes, as its sender gave them. */
export function objectPath({ path, name }: Pick<ObjectInfo, 'path' | 'name'>): string {
  return path === '' || name.startsWith(`${path}/`) ? name : `${path}/${name}`;
}

/** A maker of documents that belong to `object`: chunk 0 and no table unless `extra` says so. */
export function documentsOf(object: ObjectInfo): (content: string, extra?: Partial<DocMetadata>) => Doc {
  const parent = objectPath(object);
  const { permissionId } = object.properties;
  const base: DocMetadata = {
    objectId: object.objectId,
    chunkId: 0,
    parent,
    isDeleted: false,
    isTable: false,
    tableId: 0,
  };
  if (typeof permissionId === 'number') base.permissionId = permissionId;
  return (content, extra) => ({ type: 'Document', page_content: content, metadata: { ...base, ...extra } });
}
