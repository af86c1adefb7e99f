/** Where the specification leaves room, or deployed clients expect something else: one plain object of switches. */
export interface Profile {
  /** Status for a legacy request without a session id. */
  readonly missingSession: 400 | 404;
  /** Status for a session id that is unknown, expired or deleted. */
  readonly unknownSession: 400 | 404;
  /** What GET gives a visitor who does not ask for an event stream. */
  readonly plainGet: 'refuse' | 'describe';
  /** Whether an array of messages is welcome in a session whose version has them. */
  readonly batches: 'negotiated' | 'never';
  /** Status of the error that refuses one. */
  readonly refusedBatch: 200 | 400;
  /** What becomes of a POST that accepts neither JSON nor an event stream. */
  readonly unacceptable: 'serve' | 400 | 406;
  /** Whether a POST must say what it accepts. */
  readonly acceptRequired: boolean;
  /** JSON until a handler speaks before it ends; in sessions by the order of the Accept header; or always the one. */
  readonly answer: 'auto' | 'accept-order' | 'json' | 'sse';
  readonly heartbeat: { readonly comment: string; readonly everyMs: number };
  /** Whether a session ends at the next sweep once all its event streams have closed, unless it was used since. */
  readonly endsWithStreams: boolean;
  /** `opaque` names stream and position; `session-counter` is `{session id}-{number}`. */
  readonly eventIds: 'opaque' | 'session-counter';
}

const spec: Profile = {
  missingSession: 400,
  unknownSession: 404,
  plainGet: 'refuse',
  batches: 'negotiated',
  refusedBatch: 400,
  unacceptable: 406,
  acceptRequired: false,
  answer: 'auto',
  heartbeat: { comment: 'heartbeat', everyMs: 15_000 },
  endsWithStreams: false,
  eventIds: 'opaque',
};

/** The ways of answering where revisions and servers differ. */
export type ProfileName = 'spec' | 'v2' | '2025-06-18';

/** What each profile does. */
export const profiles: Readonly<Record<ProfileName, Profile>> = {
  spec,
  v2: {
    ...spec,
    unknownSession: 400,
    plainGet: 'describe',
    batches: 'never',
    refusedBatch: 200,
    unacceptable: 'serve',
  },
  '2025-06-18': {
    ...spec,
    missingSession: 404,
    batches: 'never',
    unacceptable: 400,
    acceptRequired: true,
    answer: 'accept-order',
    heartbeat: { comment: 'ping', everyMs: 30_000 },
    endsWithStreams: true,
    eventIds: 'session-counter',
  },
};

/** The switches that options choose. */
export function profileOf(options: {
  readonly profile?: ProfileName | Profile | undefined;
  readonly answer?: Profile['answer'] | undefined;
}): Profile {
  const { profile = 'spec', answer } = options;
  const base = typeof profile === 'string' ? profiles[profile] : profile;
  return answer === undefined ? base : { ...base, answer };
}
