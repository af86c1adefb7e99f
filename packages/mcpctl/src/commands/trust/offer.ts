import { showChange, type Change, type ServerEntry } from '@mcp-kit/host';
import type { Globals } from '../../globals.ts';
import { writeError } from '../../output.ts';
import { agrees } from '../../setup/change.ts';
import { pauseSpinner } from '../../terminal/spinner.ts';
import { commandLine } from '../../shell-words.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle, wantsColor } from '../../terminal/style.ts';
import { aligned, proposalLines } from './view.ts';

/** Shows on standard error what a server would do, and what an approval would cover. */
export function showProposal(entry: ServerEntry, { noColor }: Pick<Globals, 'noColor'>): void {
  const { bold } = createStyle({ color: wantsColor(process.stderr, process.env, { noColor }) });
  writeError(`${bold(plainField(entry.name))}\n${aligned(proposalLines(entry))}\n`);
}

interface Asking {
  readonly globals: Globals;
  readonly stop: AbortSignal;
  /** What has changed since an earlier approval. */
  readonly changes?: readonly Change[] | undefined;
}

/** Shows what a server would do, and asks the person at the terminal whether it may. */
export async function offerApproval(
  entry: ServerEntry,
  { globals, stop, changes = [] }: Asking,
): Promise<boolean> {
  const resume = pauseSpinner();
  try {
    showProposal(entry, globals);
    for (const line of changes.flatMap((change) => showChange(change))) {
      writeError(`  ${line}\n`);
    }
    return await agrees('Approve it?', stop, {
      unasked: `${entry.name} is not approved: nobody can be asked here`,
      hint: `If you trust it: mcpctl trust approve ${commandLine([entry.name])} --yes`,
    });
  } finally {
    resume();
  }
}
