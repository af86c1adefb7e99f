import { spawnSync } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { Child } from './child-process.ts';
import { lastingPort } from './lasting-port.ts';
import { read } from './markdown.ts';

/** Whether this machine has it; without it its tests are skipped. */
export const hasHaproxy: boolean = spawnSync('haproxy', ['-v']).status === 0;

/** HAProxy, configured as docs/scale.md says, in front of three ports. */
export async function startHaproxy(
  ports: readonly number[],
): Promise<{ readonly url: string } & AsyncDisposable> {
  const folder = await mkdtemp(path.join(tmpdir(), 'haproxy-'));
  const port = await lastingPort();
  const [, shown = ''] = /```text\n(defaults\n[\s\S]*?)```/.exec(read('docs/scale.md')) ?? [];
  const places = [port, ...ports];
  const text = shown.replaceAll(/127\.0\.0\.1:800(\d)/g, (_, at) => `127.0.0.1:${places[at]}`);
  const file = path.join(folder, 'haproxy.cfg');
  await writeFile(file, text);
  const child = new Child('haproxy', ['-db', '-f', file]);
  const ready = `http://127.0.0.1:${port}/readyz`;
  const isReady = (): Promise<boolean> =>
    fetch(ready).then(
      ({ ok }) => ok,
      () => false,
    );
  while (!(await isReady())) await child.until(() => true);
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    async [Symbol.asyncDispose]() {
      await child[Symbol.asyncDispose]();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
