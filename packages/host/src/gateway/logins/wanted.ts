import { isRecord, KitError, RpcError } from 'mcp-kit/internal';

/** What somebody has to log in for. */
export interface LoginWanted {
  /** Beside what the server wants of everybody. */
  readonly scopes?: readonly string[] | undefined;
}

/** What a server wants before it lets a request in, where a login would help: nothing of the request was done. */
export function loginWanted(error: unknown): LoginWanted | undefined {
  const data = error instanceof KitError ? error.details : dataOf(error);
  if (data?.['loginNeeded'] !== true) return undefined;
  const { scopes } = data;
  return { scopes: Array.isArray(scopes) ? scopes.map(String) : undefined };
}

/** Whether it says that somebody has to log in first. */
export function isLoginNeeded(error: unknown): boolean {
  return loginWanted(error) !== undefined;
}

function dataOf(error: unknown): Readonly<Record<string, unknown>> | undefined {
  return error instanceof RpcError && isRecord(error.data) ? error.data : undefined;
}
