import type { ManagerOptions, ServerEntry } from '@mcp-kit/host';
import { explain, outputClues, reachedAs } from './clues.ts';
import type { Globals } from './globals.ts';
import { stderrPrinter } from './logs.ts';
import type { Run } from './open.ts';
import { warn } from './output.ts';
import { plainField } from './terminal/plain-text.ts';
import { tracePrinter } from './terminal/trace.ts';
import type { Witness } from './witness.ts';

/** A run whose servers are watched. */
export type Watched = Run & { readonly witness: Witness };

/** What was seen, and what the user wants to see of it. */
export function watching(globals: Globals, witness: Witness): Partial<ManagerOptions> {
  const printer = globals.trace ? tracePrinter(globals) : undefined;
  const show = stderrPrinter(globals);
  return {
    onTrace(server, ...[direction, message, conversation]) {
      witness.onTrace(server, direction, message, conversation);
      printer?.message(server, direction, message);
    },
    onHttp(...seen) {
      witness.onHttp(...seen);
      printer?.http(...seen);
    },
    onStderr(...said) {
      witness.onStderr(...said);
      show?.(...said);
    },
  };
}

/** Does the work; what was seen of servers is told with its failure, or after it. */
export async function told<T>(
  run: Watched,
  entries: readonly ServerEntry[],
  work: () => Promise<T>,
): Promise<T> {
  try {
    const result = await work();
    if (run.tells !== true) warnOfOutput(run, entries);
    return result;
  } catch (error) {
    throw explained(error, run, entries);
  }
}

/** A failure with what was seen of the one server that was asked. */
function explained(
  error: unknown,
  { server, witness, globals }: Watched,
  entries: readonly ServerEntry[],
): unknown {
  const entry = entries.find(({ name }) => name === server);
  if (entry === undefined) return error;
  return explain(error, witness.of(entry.name), reachedAs(entry, globals));
}

/** Others cannot read past what is no message. */
function warnOfOutput({ globals, witness }: Watched, entries: readonly ServerEntry[]): void {
  for (const entry of entries) {
    const { lines, fix } = outputClues(witness.of(entry.name), reachedAs(entry, globals));
    const [first] = lines;
    if (first === undefined || fix === undefined) continue;
    warn(globals, plainField(`warning: ${entry.name}: ${first}. Other clients may fail. ${fix}`));
  }
}
