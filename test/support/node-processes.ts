import path from 'node:path';
import { Child, root } from './child-process.ts';

const script = path.join(root, 'test/faults/child/node-server.mjs');

/** One of the processes that serve over one store. */
export interface NodeProcess extends AsyncDisposable {
  readonly child: Child;
  readonly port: number;
}

/** Starts one over the store of a place, a folder or a URL. */
export async function startNode(place: string): Promise<NodeProcess> {
  const child = new Child(process.execPath, [script, place]);
  const port = await child.until(() => /^port (\d+)$/m.exec(child.stdout)?.[1]);
  return { child, port: Number(port), [Symbol.asyncDispose]: () => child[Symbol.asyncDispose]() };
}
