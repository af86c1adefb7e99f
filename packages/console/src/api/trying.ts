import { openSession, type InputHandlers, type Session } from 'mcp-kit/client';
import { KitError, RpcError, type Params, type Service } from 'mcp-kit/internal';
import { memoryPair, serveChannel } from 'mcp-kit/transport';

/** Something that a tool wants to know while it runs. */
export interface OpenQuestion {
  readonly id: number;
  readonly kind: 'form' | 'visit' | 'sample';
  readonly params: unknown;
}

/** What people do with servers themselves: as a client like any other, of the same door. */
export interface Trying {
  /** Asks; `name` is under which it can be cancelled, and hears of progress. */
  ask(asked: {
    readonly name: string;
    readonly method: string;
    readonly params: Params;
  }): Promise<Tried>;
  cancel(name: string): void;
  readonly questions: readonly OpenQuestion[];
  answer(id: number, result: object): void;
  close(): Promise<void>;
}

/** What came of it. */
interface Tried {
  readonly result?: unknown;
  readonly error?: { readonly code: unknown; readonly message: string; readonly data?: unknown };
  readonly ms: number;
}

/** People need longer than machines. */
const longestMs = 60 * 60_000;

/** `tell` hears of progress and of questions. */
export function createTrying(
  service: Service,
  tell: (event: 'progress' | 'questions', data: unknown) => void,
): Trying {
  const underWay = new Map<string, AbortController>();
  const open = new Map<number, OpenQuestion & { readonly answer: (result: object) => void }>();
  let count = 0;
  let session: Promise<Session> | undefined;
  const questions = (): readonly OpenQuestion[] =>
    Array.from(open.values(), ({ id, kind, params }) => ({ id, kind, params }));
  const ask = <T>(kind: OpenQuestion['kind'], params: object, signal: AbortSignal): Promise<T> => {
    const id = ++count;
    return new Promise((resolve, reject) => {
      const settle = (): void => {
        open.delete(id);
        tell('questions', questions());
      };
      const answer = (result: object): void => {
        settle();
        // What people type is checked by whoever has asked.
        resolve(result as T);
      };
      open.set(id, { id, kind, params, answer });
      signal.addEventListener('abort', () => {
        settle();
        reject(new KitError('closed', 'the question was taken back'));
      });
      tell('questions', questions());
    });
  };
  const inputs: InputHandlers = {
    elicit: (form, { signal }) => ask('form', form, signal),
    elicitUrl: (visit, { signal }) => ask('visit', visit, signal),
    sample: (params, { signal }) => ask('sample', params, signal),
  };
  const opened = (): Promise<Session> => {
    session ??= openOn(service, inputs).catch((error: unknown) => {
      session = undefined;
      throw error;
    });
    return session;
  };
  return {
    async ask({ name, method, params }) {
      const control = new AbortController();
      underWay.set(name, control);
      const begunMs = performance.now();
      const within = { signal: control.signal, timeoutMs: longestMs, maxTotalMs: longestMs };
      const onProgress = (progress: Params): void => tell('progress', { ...progress, name });
      const took = (): number => Math.round((performance.now() - begunMs) * 1000) / 1000;
      try {
        const asked = await opened();
        const result = await asked.request(method, params, { ...within, onProgress });
        return { result, ms: took() };
      } catch (error) {
        if (error instanceof RpcError || error instanceof KitError) {
          const { code, message } = error;
          const data = error instanceof RpcError ? error.data : { hint: error.hint };
          return { error: { code, message, data }, ms: took() };
        }
        throw error;
      } finally {
        underWay.delete(name);
      }
    },
    cancel: (name) => underWay.get(name)?.abort('cancelled in the console'),
    get questions() {
      return questions();
    },
    answer: (id, result) => open.get(id)?.answer(result),
    async close() {
      for (const control of underWay.values()) control.abort('the console closes');
      await (await session?.catch(() => undefined))?.close();
    },
  };
}

/** A conversation of its own with what is served, within this process. */
function openOn(service: Service, inputs: InputHandlers): Promise<Session> {
  const target = {
    label: 'the gateway',
    key: 'console',
    wire: 'stream',
    async dial() {
      const [near, far] = memoryPair();
      serveChannel(service, far);
      return near;
    },
  } as const;
  const client = { name: 'mcp-kit-console', title: 'Console', version: '1' };
  return openSession(target, { ...client, inputs, validateOutput: false, eraCache: undefined });
}
