import { isRecord } from 'mcp-kit/internal';

type Members = Readonly<Record<string, unknown>>;

/** A document without what is at some paths. */
export function withoutMembers(document: Members, paths: readonly (readonly string[])[]): Members {
  return paths.reduce((left, path) => withoutMember(left, path), document);
}

function withoutMember(document: Members, [key = '', ...deeper]: readonly string[]): Members {
  if (deeper.length === 0) {
    return Object.fromEntries(Object.entries(document).filter(([name]) => name !== key));
  }
  const inner = document[key];
  return isRecord(inner) ? { ...document, [key]: withoutMember(inner, deeper) } : document;
}
