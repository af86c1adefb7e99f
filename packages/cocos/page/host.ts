/** A message of JSON-RPC, as far as this page reads it. */
interface Message {
  readonly id?: number | string;
  readonly method?: string;
  readonly params?: Record<string, unknown>;
  readonly result?: unknown;
  readonly error?: { readonly message?: string };
}

/** How the host shows its pages. */
export interface HostContext {
  readonly theme?: 'light' | 'dark';
  readonly styles?: { readonly variables?: Readonly<Record<string, string | undefined>> };
  readonly toolInfo?: { readonly tool?: { readonly name?: string } };
}

/** The part of a tool's result that this page reads. */
export interface ToolResult {
  readonly content?: readonly {
    readonly type: string;
    readonly text?: string;
    readonly data?: string;
    readonly mimeType?: string;
  }[];
  readonly structuredContent?: { readonly data?: unknown };
  readonly isError?: boolean;
}

/** What a host tells this page by itself. */
export interface HostEvents {
  input(args: Readonly<Record<string, unknown>>): void;
  result(result: ToolResult): void;
  cancelled(): void;
  context(context: HostContext): void;
  /** The page is about to be taken away. */
  ended(): void;
}

/** The host that shows this page. */
export interface Host {
  readonly context: HostContext;
  /** What the host does for this page: `serverTools`, `message`, `updateModelContext`. */
  readonly capabilities: Readonly<Record<string, unknown>>;
  request<Result>(method: string, params: object): Promise<Result>;
  notify(method: string, params: object): void;
}

interface Hello {
  readonly hostCapabilities?: Host['capabilities'];
  readonly hostContext?: HostContext;
}

/** Greets the host that this page is in. What it tells before it has answered waits until `begin` is called with it. */
export async function connectHost(begin: (host: Host) => HostEvents): Promise<void> {
  const waiting = new Map<number, (answer: Message) => void>();
  const early: Message[] = [];
  let deliver = (message: Message): void => void early.push(message);
  let lastId = 0;
  const send = (message: object): void => {
    window.parent.postMessage({ jsonrpc: '2.0', ...message }, '*');
  };
  const request = <Result>(method: string, params: object): Promise<Result> =>
    new Promise((resolve, reject) => {
      const id = (lastId += 1);
      waiting.set(id, ({ result, error }) => {
        waiting.delete(id);
        if (error === undefined) resolve(result as Result);
        else reject(new Error(error.message ?? 'the host has refused'));
      });
      send({ id, method, params });
    });
  const notify: Host['notify'] = (method, params) => send({ method, params });
  window.addEventListener('message', ({ source, data }: MessageEvent<Message | null>) => {
    // Other frames may send messages, too.
    if (source !== window.parent || typeof data !== 'object' || data === null) return;
    if (data.method === undefined) waiting.get(Number(data.id))?.(data);
    else {
      deliver(data);
      if (data.id !== undefined) send(answerTo(data));
    }
  });
  const said: Hello = await request('ui/initialize', {
    protocolVersion: '2026-01-26',
    appInfo: { name: 'cocos-scene-picture', version: '1.0.0' },
    appCapabilities: { availableDisplayModes: ['inline', 'fullscreen'] },
  });
  const { hostCapabilities: capabilities = {}, hostContext: context = {} } = said;
  const events = begin({ context, capabilities, request, notify });
  deliver = (message) => tell(message, events);
  notify('ui/notifications/initialized', {});
  for (const message of early) tell(message, events);
}

/** What the host asks is whether this page is there, and that it lets go. */
function answerTo({ id, method }: Message): object {
  const isKnown = method === 'ping' || method === 'ui/resource-teardown';
  return isKnown
    ? { id, result: {} }
    : { id, error: { code: -32601, message: 'Method not found' } };
}

function tell({ method, params = {} }: Message, events: HostEvents): void {
  switch (method) {
    case 'ui/notifications/tool-input':
      events.input((params['arguments'] ?? {}) as Readonly<Record<string, unknown>>);
      break;
    case 'ui/notifications/tool-result':
      events.result(params);
      break;
    case 'ui/notifications/tool-cancelled':
      events.cancelled();
      break;
    case 'ui/notifications/host-context-changed':
      events.context(params);
      break;
    case 'ui/resource-teardown':
      events.ended();
      break;
    default:
    // What a newer host tells besides is not for this page.
  }
}
