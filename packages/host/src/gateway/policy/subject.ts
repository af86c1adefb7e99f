import { invalidParams, isRecord, type Exchange, type Params } from 'mcp-kit/internal';
import type { Listing } from '../upstream/listing.ts';
import { effectIn } from './effect.ts';
import type { PolicySubject } from './match.ts';

/** The server that requests are for. */
export interface Known {
  readonly server: string;
  /** What is known of it. */
  listing(): Listing | undefined;
}

/** What a request is about; nothing for those that are about nothing of a server. */
export function namedIn({ message: { method, params = {} } }: Exchange): Named | undefined {
  return Object.hasOwn(subjects, method) ? subjects[method]?.(params) : undefined;
}

export type Named = Pick<PolicySubject, 'kind' | 'name' | 'args'>;

/** What each method is about. */
const subjects: Readonly<Record<string, (params: Params) => Named | undefined>> = {
  'tools/call': ({ name, arguments: args = {} }) => ({ kind: 'tool', name: nameIn(name), args }),
  'prompts/get': ({ name, arguments: args = {} }) => ({ kind: 'prompt', name: nameIn(name), args }),
  'resources/read': ({ uri }) => ({ kind: 'resource', name: nameIn(uri) }),
  'resources/directory/read': ({ uri }) => ({ kind: 'resource', name: nameIn(uri) }),
  'skills/get': ({ uri }) => ({ kind: 'resource', name: nameIn(uri) }),
  'resources/subscribe': ({ uri }) => ({ kind: 'resource', name: nameIn(uri) }),
  'resources/unsubscribe': ({ uri }) => ({ kind: 'resource', name: nameIn(uri) }),
  'completion/complete': ({ ref }) => {
    if (!isRecord(ref)) return undefined;
    return ref['type'] === 'ref/prompt'
      ? { kind: 'prompt', name: nameIn(ref['name']), args: {} }
      : { kind: 'resource', name: nameIn(ref['uri']) };
  },
};

function nameIn(value: unknown): string {
  if (typeof value === 'string') return value;
  throw invalidParams('what is asked for must be named by a text');
}

/** The same with what is known of it. */
export function subjectOf(
  { server, listing }: Known,
  { principal }: Exchange,
  named: Named,
): PolicySubject {
  const effect = named.kind === 'tool' ? effectIn(listing(), named.name) : undefined;
  return { server, principal, ...named, effect };
}
