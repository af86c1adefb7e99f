import type { Authorizer, Login, LoginStep } from 'mcp-kit/auth';
import type { ServerEntry } from '../config/entry.ts';
import { refusal } from '../egress/refusals.ts';
import type { LoginOptions } from '../options.ts';
import { admit, admitByName, type Admitted } from './admission.ts';
import { holdAuthorizer, type LoginWishes } from './logins.ts';
import { forAccount, type Openings } from './open.ts';

/** Logs in to a server; only one that its user trusts. */
export async function logIn(
  entry: ServerEntry,
  openings: Openings,
  options: LoginOptions,
): Promise<Login> {
  const { scopes, clientId, account, ...wishes } = options;
  const admitted = await admit(entry, openings.admission, () => {});
  if (admitted.egress !== undefined) throw refusal('log in', { server: entry.name });
  const client = clientId === undefined ? undefined : { id: clientId };
  const one = { admitted, openings: forAccount(openings, account), wishes: { ...wishes, client } };
  return withAuthorizer(one, (authorizer) => authorizer.login(scopes && { scopes }));
}

/** Works with what is kept for a server, also when it is no longer trusted. */
export async function atLoginOf<T>(
  entry: ServerEntry,
  openings: Openings,
  work: (authorizer: Authorizer) => Promise<T>,
): Promise<T> {
  const admitted = await admitByName(entry, openings.admission);
  return withAuthorizer({ admitted, openings }, work);
}

/** Goes the way to being let in, as far as it leads for a server like this. */
export async function examineLogin(
  entry: ServerEntry,
  openings: Openings,
): Promise<readonly LoginStep[]> {
  const admitted = await admit(entry, openings.admission, () => {});
  return withAuthorizer({ admitted, openings }, (authorizer) => authorizer.examine());
}

interface One {
  readonly admitted: Admitted;
  readonly openings: Openings;
  readonly wishes?: LoginWishes | undefined;
}

async function withAuthorizer<T>(
  { admitted, openings, wishes }: One,
  work: (authorizer: Authorizer) => Promise<T>,
): Promise<T> {
  const held = await holdAuthorizer(admitted, openings.place.logins, wishes);
  try {
    return await work(held.authorizer);
  } finally {
    held.release();
    admitted.egress?.destroy();
  }
}
