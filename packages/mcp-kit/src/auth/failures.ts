import { KitError, shellWord } from '#base';
import type { Setup } from './options.ts';

/** A server, as it is called and as it is typed. */
type Named = Pick<Setup, 'name' | 'typedAs'>;

const loginNeeded = { ran: false, status: 401, loginNeeded: true };

/** A person would have to be asked, and cannot be; `isVague`: the server may want something else, as it does not say what. */
export function needsPerson(named: Named, isVague = false): KitError {
  const { name, typedAs } = named;
  if (isVague) {
    const message = `${name} wants credentials (HTTP 401), and does not say which`;
    return new KitError('unauthorized', message, { hint: vagueHint(named), details: loginNeeded });
  }
  const hint = `Run: mcpctl login ${typedAs}`;
  return new KitError('unauthorized', `${name} wants you to log in`, {
    hint,
    details: loginNeeded,
  });
}

/** Nothing that was seen says who would issue tokens. */
export function namesNobody(named: Named): KitError {
  const message = `nothing says who issues tokens for ${named.name}`;
  return new KitError('unauthorized', message, { hint: vagueHint(named), details: loginNeeded });
}

function vagueHint({ typedAs }: Named): string {
  return `If it wants a key or a token, send it as the header Authorization. If people log in to it, run: mcpctl login ${typedAs}`;
}

/** A person would have to be asked for more, and cannot be. */
export function needsScopes({ name, typedAs }: Named, scopes: readonly string[]): KitError {
  const list = scopes.join(' ');
  return new KitError('unauthorized', `${name} wants more than was granted: ${list}`, {
    hint: `Run: mcpctl login ${typedAs} --scope ${shellWord(list)}`,
    details: { ran: false, status: 403, loginNeeded: true, scopes },
  });
}

/** Another token of the same kind would not help. */
export function notAccepted(server: string, issuer: string): KitError {
  return new KitError(
    'unauthorized',
    `${server} refuses the token that ${issuer} has just issued`,
    {
      hint: 'The two disagree, perhaps about who the token is for: tell whoever runs them.',
      details: { ran: false },
    },
  );
}
