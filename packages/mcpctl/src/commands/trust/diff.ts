import {
  showChange,
  type Change,
  type Manager,
  type Receipt,
  type ToolListing,
} from '@mcp-kit/host';
import { defineCommand } from '../../command.ts';
import { exitCodes } from '../../exit-code.ts';
import { withManager } from '../../open.ts';
import { print, printJson } from '../../output.ts';
import { plainField } from '../../terminal/plain-text.ts';
import { createStyle, type Style } from '../../terminal/style.ts';
import { byReceipts, verdicts, type Standing } from './view.ts';

/** How the tools of a server differ from those that were approved. */
interface ToolChanges {
  readonly changed: readonly { readonly name: string; readonly changes: readonly Change[] }[];
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

export const trustDiff = defineCommand({
  scope: 'config',
  positionals: [{ name: 'SERVER', help: 'the server to look at' }],
  options: {
    offline: { type: 'boolean', help: 'Do not start the server to look at its tools.' },
  },
  examples: [
    { command: 'mcpctl trust diff github', about: 'What is different since it was approved.' },
  ],
  notes: [
    'Exit code 0: it is what was approved. 1: something is different, or it is not approved.',
    'Only a server whose entry and program are still as approved is started.',
  ],
  async run({ args: { SERVER: server }, values, globals, stop }) {
    const run = { globals: byReceipts(globals), stop, server };
    const { standing, tools } = await withManager(run, async ({ manager }) => {
      const trust = await manager.trustOf(server);
      const looks = trust.verdict === 'trusted' && values.offline !== true;
      return { standing: trust, tools: looks ? await toolChanges(manager, server, trust) : none };
    });
    const { verdict, changes } = standing;
    const isSame =
      verdict === 'trusted' && Object.values(tools).every(({ length }) => length === 0);
    if (globals.json) printJson({ server, trust: verdict, same: isSame, changes, tools });
    else print(describe({ server, standing, tools }, createStyle(globals)));
    return isSame ? exitCodes.ok : exitCodes.failed;
  },
});

const none: ToolChanges = { changed: [], added: [], removed: [] };

async function toolChanges(
  manager: Manager,
  server: string,
  { receipt }: Standing,
): Promise<ToolChanges> {
  const listing = await manager.server(server).listTools();
  return {
    changed: listing.withheld.map(({ name, changes }) => ({ name, changes })),
    added: listing.fresh,
    removed: gone(listing, receipt),
  };
}

function gone({ tools, withheld, denied }: ToolListing, receipt: Receipt | undefined): string[] {
  const present = new Set([...tools, ...withheld].map(({ name }) => name).concat(denied));
  return Object.keys(receipt?.tools ?? {}).filter((name) => !present.has(name));
}

interface Difference {
  readonly server: string;
  readonly standing: Standing;
  readonly tools: ToolChanges;
}

function describe({ server, standing, tools }: Difference, style: Style): string {
  const { verdict, changes, receipt } = standing;
  const { changed, added, removed } = tools;
  const since = receipt === undefined ? '' : ` (${receipt.approvedAt})`;
  const lines = [
    ...changes.flatMap((change) => painted(change, style)),
    ...changed.flatMap(({ name, changes: of }) => [
      plainField(`tool ${name}: changed`),
      ...of.flatMap((change) => painted(change, style)),
    ]),
    ...added.map((name) => style.green(plainField(`+ tool ${name}`))),
    ...removed.map((name) => style.red(plainField(`- tool ${name}`))),
  ];
  if (lines.length > 0)
    return [`${style.bold(plainField(server))}: ${verdictOf(verdict)}${since}`, ...lines].join(
      '\n',
    );
  const said = verdict === 'trusted' ? 'is what was approved' : `is ${verdicts[verdict]}`;
  return `${style.bold(plainField(server))} ${said}${since}`;
}

function verdictOf(verdict: Standing['verdict']): string {
  return verdict === 'trusted'
    ? 'its tools have changed since they were approved'
    : verdicts[verdict];
}

function painted(change: Change, { red, green }: Style): readonly string[] {
  return showChange(change).map((line) => {
    if (line.startsWith('- ')) return red(`  ${line}`);
    return line.startsWith('+ ') ? green(`  ${line}`) : `  ${line}`;
  });
}
