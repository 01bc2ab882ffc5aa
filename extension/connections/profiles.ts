import { socketAddress } from '../../client/typescript/src/address.js';
import { errorText } from '../../protocol/errors.js';
import { isRecord } from '../../pipeline/values.js';
import { localConnection } from '../identifiers.js';

/** A server that pipelines can run on, as the settings have it. Its key is in the secret storage. */
export interface Profile {
  readonly name: string;
  readonly url: string;
}

/** The valid profiles of `millrace.connections`, in their order. Each that is left out is told to `warn`. */
export function readProfiles(value: unknown, warn: (message: string) => void): Profile[] {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) {
    warn('The setting millrace.connections is no list; it is ignored.');
    return [];
  }
  const profiles: Profile[] = [];
  for (const [index, entry] of (value as unknown[]).entries()) {
    const problem = profileProblem(entry, profiles);
    if (problem === undefined) profiles.push(profileOf(entry));
    else warn(`Entry ${index + 1} of the setting millrace.connections is ignored: ${problem}`);
  }
  return profiles;
}

/** What is wrong with a name for a connection, or undefined. */
export function nameProblem(given: string, others: readonly Profile[]): string | undefined {
  const name = given.trim();
  if (name === '') return 'Give the connection a name.';
  if (same(name, localConnection)) return `${localConnection} is the engine inside the editor. Choose another name.`;
  if (others.some((other) => same(other.name, name)))
    return `There is a connection named ${name}. Choose another name.`;
  return undefined;
}

/** What is wrong with the address of a server, or undefined. */
export function urlProblem(given: string): string | undefined {
  if (given.trim() === '') return 'Give the address of the server, for example http://127.0.0.1:5565.';
  try {
    socketAddress(given);
    return undefined;
  } catch (error) {
    return `${errorText(error)}. Write it like http://127.0.0.1:5565 or wss://pipelines.example.com.`;
  }
}

/** Whether a key sent there could be read on the way. */
export function isUnprotected(url: string): boolean {
  const { protocol, hostname } = new URL(socketAddress(url));
  return protocol === 'ws:' && !/^(localhost|127(\.\d+){3}|\[::1\])$/.test(hostname);
}

/** The setting with another profile. What is no valid entry stays as it is: somebody may be about to mend it. */
export function withProfile(value: unknown, profile: Profile): unknown[] {
  return [...entriesOf(value), profile];
}

export function withRenamed(value: unknown, from: string, to: string): unknown[] {
  return entriesOf(value).map((entry) => (isNamed(entry, from) ? { ...(entry as object), name: to } : entry));
}

export function withoutProfile(value: unknown, name: string): unknown[] {
  return entriesOf(value).filter((entry) => !isNamed(entry, name));
}

function profileProblem(entry: unknown, others: readonly Profile[]): string | undefined {
  if (!isRecord(entry)) return 'it is no object with name and url.';
  if (typeof entry.name !== 'string') return 'its name is no text.';
  if (typeof entry.url !== 'string') return 'its url is no text.';
  return nameProblem(entry.name, others) ?? urlProblem(entry.url);
}

function profileOf(entry: unknown): Profile {
  const { name, url } = entry as Profile;
  return { name: name.trim(), url: url.trim() };
}

function entriesOf(value: unknown): unknown[] {
  return Array.isArray(value) ? (value as unknown[]) : [];
}

function isNamed(entry: unknown, name: string): boolean {
  return isRecord(entry) && typeof entry.name === 'string' && entry.name.trim() === name;
}

function same(one: string, other: string): boolean {
  return one.toLowerCase() === other.toLowerCase();
}
