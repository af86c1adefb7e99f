import { KitError } from '#base';

/** A person would have to be asked, and cannot be. */
export function needsPerson(server: string): KitError {
  return new KitError('unauthorized', `${server} wants you to log in`, {
    hint: `Run: mcpctl login ${server}`,
    details: { ran: false, loginNeeded: true },
  });
}

/** A person would have to be asked for more, and cannot be. */
export function needsScopes(server: string, scopes: readonly string[]): KitError {
  const list = scopes.join(' ');
  return new KitError('unauthorized', `${server} wants more than was granted: ${list}`, {
    hint: `Run: mcpctl login ${server} --scope ${JSON.stringify(list)}`,
    details: { ran: false, loginNeeded: true, scopes },
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
