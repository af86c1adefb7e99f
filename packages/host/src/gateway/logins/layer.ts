import {
  clientOf,
  isRecord,
  RpcError,
  rpcErrors,
  supports,
  type Exchange,
  type Layer,
  type Serve,
} from 'mcp-kit/internal';
import { asking, hasVisited, mustVisit, visitFor, type Visit } from '../edge.ts';
import { createRounds } from '../policy/rounds.ts';
import type { Listing } from '../upstream/listing.ts';
import { firstListing, isFirstTool, loggingIn } from './first-tool.ts';
import type { Login } from './login.ts';
import type { Logins } from './logins.ts';
import { loginWanted, type LoginWanted } from './wanted.ts';

/** Only during these can somebody be asked: the same in both eras. */
const askable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** How long a client that has come back waits for a person who still logs in; then it is asked again. */
const patienceMs = 30_000;
const key = 'mcp-kit/login';

interface Wanted {
  readonly server: string;
  readonly logins: Logins;
  /** What is known of the server. */
  listing(): Listing | undefined;
}

/** Where a server wants whoever asks to log in: has them do so, and asks once more. */
export function loggedIn({ server, logins, listing }: Wanted): Layer {
  const rounds = createRounds(key);
  const about = JSON.stringify([key, server]);

  const login = async (next: Serve, { exchange, principal, wanted }: Asking): Promise<unknown> => {
    const begun = await logins.begin({ server, principal }, wanted.scopes);
    const visit = visitOf(begun);
    const mayAsk = askable.has(exchange.message.method);
    if (!canVisit(exchange)) throw notAsked(visit);
    if (!mayAsk) {
      void begun.over.then(
        () => hasVisited(exchange, visit),
        () => {},
      );
      throw mustVisit(exchange, visit) ?? notAsked(visit);
    }
    const request = visitFor(exchange, visit);
    const asked = await asking(exchange, rounds)(exchange, about, request);
    if ('result' in asked) return asked.result;
    if (!isAccepted(asked.response)) throw refused(visit);
    await untilOver(begun, exchange);
    await hasVisited(exchange, visit);
    return asked.goOn(next);
  };

  return (given) => async (exchange) => {
    const { principal, message } = exchange;
    const isFirst = listing() === firstListing && isFirstTool(exchange);
    const next = isFirst ? loggingIn(server, given) : given;
    if (principal === undefined || message.id === undefined) return next(exchange);
    const back = rounds.returned(exchange, about);
    if (back !== undefined && !isAccepted(back.response)) throw refused();
    const isOver =
      back !== undefined && (await logins.settled({ server, principal }, patience(exchange)));
    try {
      return await (back === undefined ? next(exchange) : back.goOn(next));
    } catch (error) {
      const wanted = loginWanted(error);
      // Whoever has just logged in is not sent there again for the same.
      if (wanted === undefined || isOver) throw error;
      return login(next, { exchange, principal, wanted });
    }
  };
}

interface Asking {
  readonly exchange: Exchange;
  readonly principal: string;
  readonly wanted: LoginWanted;
}

function patience({ signal }: Exchange): AbortSignal {
  return AbortSignal.any([signal, AbortSignal.timeout(patienceMs)]);
}

function visitOf({ id, url, server }: Login): Visit {
  return { id, url, message: `Log in to ${server}, to use it with your own account:` };
}

/** Before a handshake nobody knows. */
function canVisit(exchange: Exchange): boolean {
  return (
    exchange.client !== undefined &&
    supports(clientOf(exchange).capabilities, { elicitation: { url: {} } })
  );
}

function isAccepted(response: unknown): boolean {
  return isRecord(response) && response['action'] === 'accept';
}

/** Settles when it has ended well; fails with it, or when nobody waits any more. */
async function untilOver({ over }: Login, { signal }: Exchange): Promise<void> {
  const gone = new Promise<never>((_resolve, reject) => {
    const leave = (): void => reject(new RpcError(rpcErrors.internal, 'The client has gone'));
    signal.addEventListener('abort', leave, { once: true });
    if (signal.aborted) leave();
  });
  await Promise.race([over, gone]);
}

/** For clients that cannot be asked: whoever reads it can go there themselves. */
function notAsked({ url }: Visit): RpcError {
  const hint = 'Tell your user to open that address in a browser, and ask again when they have.';
  return trouble(`your user has to log in to it first, at ${url}`, { hint, loginUrl: url });
}

function refused(visit?: Visit): RpcError {
  const hint = 'Ask again only if your user wants to.';
  return trouble('your user did not want to log in', { hint, loginUrl: visit?.url });
}

function trouble(message: string, more: object): RpcError {
  const data = { code: 'unauthorized', retryable: true, mayHaveRun: false, ...more };
  return new RpcError(rpcErrors.internal, message, data);
}
