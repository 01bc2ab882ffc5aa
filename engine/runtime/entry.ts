import type { ChildObject, ObjectInfo } from './component.js';

/** Identifiers come from the host, because the runtime itself uses nothing of its platform. */
export interface Identifiers {
  random(): string;
  /** UUID version 5 in the URL namespace. */
  ofUrl(url: string): string;
}

const known = new Set([
  'size',
  'storeSize',
  'createTime',
  'modifyTime',
  'accessTime',
  'changeTime',
  'attrib',
  'keyId',
  'serviceId',
  'permissionId',
  'version',
  'wordBatchId',
]);

/** The entry of an object as `open` received it: objinfo with the defaults of wire.md 6.1. */
export function makeObjectInfo(given: Record<string, unknown>, mimeType: string, ids: Identifiers): ObjectInfo {
  const named = typeof given.name === 'string' && given.name !== '';
  const name = named ? (given.name as string) : ids.random();
  const url = typeof given.url === 'string' && given.url !== '' ? given.url : `null://Stream/${name}`;
  const objectId =
    typeof given.objectId === 'string' && given.objectId !== ''
      ? given.objectId
      : named || given.url !== undefined
        ? ids.ofUrl(url)
        : ids.random();
  const properties: Record<string, unknown> = {};
  for (const key of Object.keys(given)) if (known.has(key)) properties[key] = given[key];
  return {
    objectId,
    name,
    url,
    path: directoryOf(name),
    mimeType,
    ...(isSize(given.size) ? { size: given.size } : {}),
    metadata: {},
    properties,
  };
}

/** An embedded file as an object of its own: it is called by its place in the object it was found in. */
export function makeChildInfo(parent: ObjectInfo, child: ChildObject, ids: Identifiers): ObjectInfo {
  const name = `${parent.name}/${child.name}`;
  const url = `${parent.url}/${child.name}`;
  return {
    objectId: ids.ofUrl(url),
    name,
    url,
    path: directoryOf(name),
    mimeType: child.mimeType,
    ...(child.size === undefined ? {} : { size: child.size }),
    metadata: {},
    properties: {},
  };
}

function directoryOf(name: string): string {
  const slash = name.lastIndexOf('/');
  return slash < 0 ? '' : name.slice(0, slash);
}

function isSize(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
