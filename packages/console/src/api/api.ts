import type { IncomingMessage, ServerResponse } from 'node:http';
import { isRecord, KitError, type Params, type Service } from 'mcp-kit/internal';
import type { Feed } from '../feed/feed.ts';
import { messageOf, rowOf, type Mask } from '../feed/row.ts';
import { openStream, type PageStream } from './stream.ts';
import { createTrying } from './trying.ts';

type Asked = Readonly<Record<string, unknown>>;

/** What can be asked of a console, by name: what is sent, and what comes back, is JSON. */
export interface Api {
  readonly methods: Readonly<Record<string, (asked: Asked) => unknown>>;
  /** Tells a page of all that happens from now on, and of what has happened since it last looked. */
  events(request: IncomingMessage, response: ServerResponse): void;
  close(): Promise<void>;
}

/** What people do with the servers themselves; what is not there cannot be done here. */
export interface ServerActions {
  restart(server: string): Promise<unknown>;
  stop(server: string): Promise<unknown>;
  /** What a server would do, and what is not as it was approved. */
  approval(server: string): Promise<unknown>;
  approve(server: string): Promise<unknown>;
  /** What the policy says of a call, and which rule. */
  why(server: string, tool: string, args: Params): Promise<unknown>;
  /** Begins a login; gives the address where the person goes on. */
  login(server: string): Promise<unknown>;
}

/** What a console shows, and what it lets people do. */
export interface ApiOptions {
  readonly feed: Feed;
  /** What is tried out: as a client like any other. */
  readonly service: Service;
  /** How everything is, in JSON. */
  readonly status: () => unknown;
  readonly mask: Mask;
  readonly actions: ServerActions;
}

/** The most that one page is given at once. */
const mostRows = 1000;

export function createApi({ feed, service, status, mask, actions }: ApiOptions): Api {
  const pages = new Set<PageStream>();
  const tell = (event: string, data: unknown): void => {
    for (const page of pages) page.tell(event, data);
  };
  const trying = createTrying(service, tell);
  const state = (): unknown => ({ run: feed.run, first: feed.first, status: mask(status()) });
  return {
    methods: {
      message: ({ seq }) => {
        const entry = feed.get(Number(seq));
        if (entry === undefined) throw gone();
        return { row: rowOf(entry, mask), message: mask(messageOf(entry)) };
      },
      rows: ({ before }) => {
        const entries = feed.before(Number(before), mostRows);
        return { rows: entries.map((entry) => rowOf(entry, mask)), first: feed.first };
      },
      ask: ({ name, method, params }) =>
        trying.ask({
          name: text(name),
          method: text(method),
          params: isRecord(params) ? params : {},
        }),
      cancel: ({ name }) => trying.cancel(text(name)),
      answer: ({ id, result }) => trying.answer(Number(id), Object(result)),
      restart: ({ server }) => actions.restart(text(server)),
      stop: ({ server }) => actions.stop(text(server)),
      approval: ({ server }) => actions.approval(text(server)),
      approve: ({ server }) => actions.approve(text(server)),
      why: ({ server, tool, args }) =>
        actions.why(text(server), text(tool), isRecord(args) ? args : {}),
      login: ({ server }) => actions.login(text(server)),
    },
    events(request, response) {
      const { searchParams } = new URL(request.url ?? '', 'http://localhost');
      const last = String(request.headers['last-event-id'] ?? searchParams.get('after') ?? '');
      const [run, seq] = last.split('/');
      const after = run === feed.run ? Number(seq) || 0 : feed.first - 1;
      const page = openStream(response, { feed, mask, after, state });
      page.tell('questions', trying.questions);
      pages.add(page);
      response.on('close', () => pages.delete(page));
    },
    close: () => trying.close(),
  };
}

function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw new KitError('invalid_argument', 'something is missing in what was asked');
}

function gone(): KitError {
  return new KitError('invalid_argument', 'this message is no longer kept', {
    hint: 'The last of all messages are kept; a recording keeps all: mcpctl up --record FILE',
  });
}
