import type { CallToolResult } from 'mcp-kit/protocol';
import { exitCodes } from '../exit-code.ts';
import type { Globals } from '../globals.ts';
import { print, printJson, sumUp, tell, warn } from '../output.ts';
import { showResult } from './content.ts';
import { folderAt } from './save.ts';

/** Where a result is from, and where what it holds goes. */
interface Showing {
  readonly server: string;
  readonly globals: Globals;
  readonly output: string | undefined;
  readonly startedMs: number;
}

/** Shows what a tool gave; the exit code says whether it failed. */
export async function showOutcome(
  result: CallToolResult,
  { globals, server, output, startedMs }: Showing,
): Promise<number> {
  const folder = output === undefined ? undefined : folderAt(output);
  if (globals.json) printJson(result);
  if (!globals.json || folder !== undefined) {
    // Beside a document, what is saved is said where it does no harm.
    const say = globals.json ? (line: string) => warn(globals, line) : print;
    for (const line of await showResult(result, { server, target: globals.target, folder }))
      say(line);
  }
  if (result.isError !== true) {
    sumUp(globals, 'done', startedMs);
    return exitCodes.ok;
  }
  tell('the tool says that it failed');
  return exitCodes.toolFailed;
}
