import { Inbox } from './inbox.ts';
import {
  fixtureCommand,
  loadSdkV1,
  loadSdkV2,
  type SdkCallOptions,
  type SdkExtra,
  type SdkNotification,
  type SdkToolResult,
  type SdkTransport,
  type SdkV1Client,
  type SdkV2Client,
} from './peers.mjs';
import { SocketTransport, type SocketTransportOptions } from './socket-transport.ts';

/** Where a server is to be found. */
export type Place =
  | {
      readonly kind: 'stdio';
      readonly args?: readonly string[];
      /** Instead of the fixture. */
      readonly command?: { readonly command: string; readonly args: readonly string[] };
    }
  | {
      readonly kind: 'http';
      readonly url: string;
      readonly fetch?: typeof fetch;
      /** A session that another client has opened. */
      readonly sessionId?: string | undefined;
    }
  | ({ readonly kind: 'socket'; readonly path: string } & SocketTransportOptions);

/** Which client, speaking which revision. */
export interface Speaker {
  readonly sdk: 'v1' | 'v2';
  /** How the newer SDK chooses its era. */
  readonly mode?: 'legacy' | 'auto' | { readonly pin: string };
  /** The revision to open the handshake with, instead of the newest. */
  readonly version?: string;
  readonly capabilities?: object;
  /** More of what the SDK's client takes. */
  readonly options?: object;
}

type Params = Readonly<Record<string, unknown>>;
type Answer = (params: Params, signal: AbortSignal | undefined) => unknown;

/** A connected client, with what differs between the SDKs out of the way. */
export interface Session {
  readonly sdk: Speaker['sdk'];
  readonly era: 'legacy' | 'modern';
  readonly client: SdkV1Client | SdkV2Client;
  readonly transport: SdkTransport;
  readonly inbox: Inbox;
  /** What the server has asked of the client. */
  readonly asked: { readonly method: string; readonly params: Params }[];
  /** How the client answers; a test may replace an answer. */
  readonly answers: Record<string, Answer>;
  readonly errors: Error[];
  call(name: string, args?: object, options?: CallOptions): Promise<SdkToolResult>;
  close(): Promise<void>;
}

interface CallOptions extends SdkCallOptions {
  readonly meta?: Params;
}

const everyCapability = {
  roots: { listChanged: true },
  sampling: {},
  elicitation: { form: {}, url: {} },
};

/** Both SDKs wait a second by default, unless the server says otherwise. */
const reconnectionOptions = {
  initialReconnectionDelay: 20,
  maxReconnectionDelay: 100,
  reconnectionDelayGrowFactor: 1.5,
  maxRetries: 5,
};

const info = { name: 'interop', title: 'Interop', version: '1.0.0' };

function defaultAnswers(): Record<string, Answer> {
  return {
    'elicitation/create': ({ mode, message }) => {
      if (mode === 'url') return { action: 'accept' };
      const colour = String(message).startsWith('Your colour');
      return { action: 'accept', content: colour ? { colour: 'blue' } : { name: 'Ada' } };
    },
    'sampling/createMessage': () => ({
      role: 'assistant',
      model: 'test-model',
      content: { type: 'text', text: 'a thought' },
      stopReason: 'endTurn',
    }),
    'roots/list': () => ({ roots: [{ uri: 'file:///work', name: 'work' }] }),
  };
}

/** Connects a client of another implementation. */
export async function connectHost(place: Place, speaker: Speaker): Promise<Session> {
  return speaker.sdk === 'v1' ? connectV1(place, speaker) : connectV2(place, speaker);
}

async function connectV1(place: Place, speaker: Speaker): Promise<Session> {
  const sdk = loadSdkV1();
  const { capabilities = everyCapability, version, options } = speaker;
  const client = new sdk.Client(info, { capabilities, ...options });
  const transport = openTransport(sdk, place);
  if (version !== undefined) forceVersion(transport, version);
  const session = createSession(client, transport, {
    sdk: 'v1',
    era: 'legacy',
    call: (params, callOptions) => client.callTool(params, undefined, callOptions),
  });
  for (const [method, schema] of Object.entries(sdk.requestSchemas)) {
    if (!declares(capabilities, method)) continue;
    client.setRequestHandler(schema, answering(session, method));
  }
  await client.connect(transport);
  return session;
}

async function connectV2(place: Place, speaker: Speaker): Promise<Session> {
  const sdk = loadSdkV2();
  const { capabilities = everyCapability, version, mode = 'legacy', options } = speaker;
  const client = new sdk.Client(info, {
    ...options,
    capabilities,
    versionNegotiation: { mode },
    ...(version === undefined ? {} : { supportedProtocolVersions: [version] }),
  });
  const transport = openTransport(sdk, place);
  const session = createSession(client, transport, {
    sdk: 'v2',
    era: mode === 'legacy' ? 'legacy' : 'modern',
    call: (params, callOptions) => client.callTool(params, callOptions),
  });
  for (const method of Object.keys(session.answers)) {
    if (!declares(capabilities, method)) continue;
    client.setRequestHandler(method, answering(session, method));
  }
  await client.connect(transport);
  return session;
}

function createSession(
  client: SdkV1Client | SdkV2Client,
  transport: SdkTransport,
  options: {
    readonly sdk: Session['sdk'];
    readonly era: Session['era'];
    call(params: object, options: SdkCallOptions): Promise<SdkToolResult>;
  },
): Session {
  const inbox = new Inbox();
  const errors: Error[] = [];
  Object.assign(client, {
    onerror: (error: Error) => errors.push(error),
    fallbackNotificationHandler: async (notification: SdkNotification) => inbox.put(notification),
  });
  return {
    sdk: options.sdk,
    era: options.era,
    client,
    transport,
    inbox,
    errors,
    asked: [],
    answers: defaultAnswers(),
    call(name, args = {}, { meta, ...rest } = {}) {
      const params = { name, arguments: args, ...(meta === undefined ? {} : { _meta: meta }) };
      return options.call(params, rest);
    },
    close: () => client.close(),
  };
}

function answering(session: Session, method: string) {
  return ({ params = {} }: { params?: Params }, extra: SdkExtra): unknown => {
    session.asked.push({ method, params });
    return session.answers[method]?.(params, extra.signal ?? extra.mcpReq?.signal);
  };
}

/** A handler for what was not declared is refused by both SDKs. */
function declares(capabilities: object, method: string): boolean {
  const [family = ''] = method.split('/');
  return family in capabilities;
}

function openTransport(
  sdk: Pick<ReturnType<typeof loadSdkV1>, 'StdioClientTransport' | 'StreamableHTTPClientTransport'>,
  place: Place,
): SdkTransport {
  switch (place.kind) {
    case 'stdio': {
      const { command, args } = place.command ?? fixtureCommand;
      const all = [...args, ...(place.args ?? [])];
      return new sdk.StdioClientTransport({ command, args: all, stderr: 'inherit' });
    }
    case 'http':
      return new sdk.StreamableHTTPClientTransport(new URL(place.url), {
        reconnectionOptions,
        sessionId: place.sessionId,
        ...(place.fetch === undefined ? {} : { fetch: place.fetch }),
      });
    case 'socket':
      return new SocketTransport(place.path, place);
  }
}

/** The older SDK always asks for its newest revision, but takes any it knows for an answer. */
function forceVersion(transport: SdkTransport, version: string): void {
  const send = transport.send.bind(transport);
  transport.send = (message, options) => {
    const { method, params } = message as { method?: string; params?: object };
    if (method !== 'initialize') return send(message, options);
    return send(
      { ...(message as object), params: { ...params, protocolVersion: version } },
      options,
    );
  };
}

/** The text of a result that is one text block. */
export function textOf(result: SdkToolResult): string | undefined {
  return result.content.length === 1 ? result.content[0]?.text : undefined;
}
