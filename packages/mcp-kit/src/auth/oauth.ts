import type * as OAuth from 'oauth4webapi';
import { KitError } from '#base';
import type { Fetch } from './fetch.ts';

/** The library for the messages of OAuth, loaded when a token is needed: most calls have one. */
export async function oauth(): Promise<typeof OAuth> {
  return import('oauth4webapi');
}

type Sending = OAuth.HttpRequestOptions<'POST', URLSearchParams>;

/** How that library sends its requests: as we do. Whether plain http will do is for the policy to say. */
export async function sendOptions(fetch: Fetch): Promise<Sending> {
  const library = await oauth();
  return {
    [library.customFetch]: async (url, { method, headers, body, signal }) => {
      const answer = await fetch(url, { method, headers, body, signal });
      // What is wrong is said in the body; the library would look no further than this.
      answer.headers.delete('www-authenticate');
      return answer;
    },
    [library.allowInsecureRequests]: true,
  };
}

/** What the code of an OAuth error is, when something is one. */
export function oauthErrorOf(error: unknown): string | undefined {
  const code = error instanceof KitError ? error.details?.['oauthError'] : undefined;
  return typeof code === 'string' ? code : undefined;
}

/** Says in our terms what the library, or an authorization server through it, objects to. */
export async function oauthFailure(error: unknown, what: string): Promise<KitError> {
  if (error instanceof KitError) return error;
  const { ResponseBodyError, AuthorizationResponseError } = await oauth();
  if (error instanceof ResponseBodyError || error instanceof AuthorizationResponseError) {
    const said = [error.error, error.error_description].filter((text) => text !== undefined);
    const status = error instanceof ResponseBodyError ? error.status : undefined;
    return new KitError('unauthorized', `${what}: ${plain(said.join(': '))}`, {
      hint: hints[error.error],
      cause: error,
      details: { oauthError: error.error, status },
    });
  }
  const reason = error instanceof Error ? error.message : String(error);
  return new KitError('invalid_answer', `${what}: ${plain(reason)}`, { cause: error });
}

const hints: Readonly<Record<string, string>> = {
  access_denied: 'Whoever was asked has refused. Log in again to be asked again.',
  invalid_client: 'The authorization server does not know this client: check its id and secret.',
  invalid_grant: 'What was granted has ended: log in again.',
  invalid_scope: 'Ask for other scopes, or for none.',
  invalid_target: 'It issues no tokens for this server: tell whoever runs the server.',
  unauthorized_client: 'This client may not ask for tokens in this way.',
};

const shownCharacters = 300;

/** Words of somebody else, on one line and not too many. */
function plain(text: string): string {
  return text.replaceAll(/[\p{Cc}\s]+/gu, ' ').slice(0, shownCharacters);
}
