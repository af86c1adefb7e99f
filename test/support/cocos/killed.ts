import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Envelope } from 'mcp-kit/tools';

/** A program that calls one tool of a project, and ends itself without a word before the n-th change to the disk, or a certain one. */
const source = `
  import { openCocosServer, openHeadless } from '@mcp-kit/cocos';
  import { openSession } from 'mcp-kit/client';
  import { memoryTarget } from 'mcp-kit/testing';
  const [folder, tool, args, wanted] = process.argv.slice(1);
  let count = 0;
  const onStep = (step) => {
    if (count++ === Number(wanted) || step.endsWith(wanted)) process.kill(process.pid, 'SIGKILL');
  };
  const project = await openHeadless(folder, { onStep });
  const idempotency = { leaseMs: 100 };
  const { server } = await openCocosServer({ project, governance: { idempotency } });
  const session = await openSession(memoryTarget(server));
  const { structuredContent } = await session.callTool(tool, JSON.parse(args));
  process.stdout.write(JSON.stringify(structuredContent), () => process.exit());
`;

/** Calls a tool in a process of its own, which dies at a step; or its answer, where it does not come to that step. */
export function callAndDie(
  folder: string,
  call: { readonly tool: string; readonly args: object; readonly step: number | string },
): Promise<Envelope | 'killed'> {
  const given = [folder, call.tool, JSON.stringify(call.args), String(call.step)];
  const program = ['--input-type=module', '-e', source, ...given];
  return new Promise((resolve, reject) => {
    execFile(process.execPath, program, { cwd: import.meta.dirname }, (error, out, err) => {
      if (error === null) resolve(JSON.parse(out) as Envelope);
      else if (error.signal === 'SIGKILL') resolve('killed');
      else reject(new Error(err || error.message));
    });
  });
}

/** Asks until nobody takes the process that died for alive any more. */
export async function untilKnown(ask: () => Promise<Envelope>): Promise<Envelope> {
  for (;;) {
    const answer = await ask();
    if (answer.error?.retryable !== true) return answer;
    await sleep(20);
  }
}
