import type { Page } from '#transport/http';

/** Why new calls would not be served well; none means ready. */
export type Reasons = () => readonly string[];

const headers = ['content-type', 'application/json', 'cache-control', 'no-store'] as const;

/** Answers as long as this process answers at all. */
export const alivePage = (): Page => ({ status: 200, headers, body: '{"status":"alive"}' });

/** Says whether calls that come now would be served, and if not, why. */
export function readyPage(reasons: Reasons): () => Page {
  return () => {
    const why = reasons();
    if (why.length === 0) return { status: 200, headers, body: '{"status":"ready"}' };
    return { status: 503, headers, body: JSON.stringify({ status: 'not ready', reasons: why }) };
  };
}
