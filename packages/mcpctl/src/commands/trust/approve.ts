import { KitError } from 'mcp-kit/internal';
import type { Manager, Receipt, ServerEntry } from '@mcp-kit/host';
import { lockPath, pinOf, updateLock, type Runs } from '@mcp-kit/host/internal';
import { usageError } from '../../args.ts';
import { defineCommand } from '../../command.ts';
import { unknownServer } from '../../config.ts';
import { exitCodes } from '../../exit-code.ts';
import type { Globals } from '../../globals.ts';
import { withManager } from '../../open.ts';
import {
  count,
  describeFailure,
  print,
  printJson,
  tell,
  warn,
  type Failure,
} from '../../output.ts';
import { commandLine } from '../../shell-words.ts';
import { plainField, plainText } from '../../terminal/plain-text.ts';
import { Questioner } from '../../terminal/question.ts';
import { showProposal } from './offer.ts';
import { byReceipts, userName } from './view.ts';

export const trustApprove = defineCommand({
  scope: 'config',
  positionals: [{ name: 'SERVERS', help: 'the servers to approve', optional: true, many: true }],
  options: {
    all: { type: 'boolean', help: 'Every server that is not trusted yet.' },
    yes: { type: 'boolean', short: 'y', help: 'Do not ask: approve what is shown.' },
    'no-pin': {
      type: 'boolean',
      help: 'Do not start the servers to record their tools; that happens at first use.',
    },
    lock: {
      type: 'boolean',
      help: 'Also write mcp.lock beside the configuration, for everybody who shares it.',
    },
  },
  examples: [
    { command: 'mcpctl trust approve github', about: 'Look at what it would run, and agree.' },
    { command: 'mcpctl trust approve --all --yes', about: 'In a script, for files of your own.' },
  ],
  notes: [
    'An approval holds for the entry, the tools and what runs: the program, or the script, package or image',
    'of an interpreter, the certificates of ca_file, as they are now; any change asks again. trust show says',
    'what cannot be covered.',
    'It is kept in $XDG_STATE_HOME/mcp-kit/trust.json, for you alone. mcp.lock grants nothing: it only',
    'stops whoever has approved something else. Exit code 1 when something was not approved.',
  ],
  async run({ args: { SERVERS: names }, values, globals, stop }) {
    const { all = false, yes = false, lock = false } = values;
    checkNames(names, all);
    const [only] = names.length === 1 ? names : [];
    const run = { globals: byReceipts(globals), stop, server: only };
    return withManager(run, async ({ manager, entries }) => {
      const chosen = all
        ? await open(manager, entries)
        : names.map((name) => entryNamed(name, entries));
      const agreed: ServerEntry[] = [];
      for (const entry of chosen) {
        if (!globals.json || !yes) showProposal(entry, globals);
        if (yes || (await asks(entry.name, stop))) agreed.push(entry);
      }
      const outcomes: Outcome[] = [];
      for (const entry of agreed) {
        const pin = values['no-pin'] !== true;
        const outcome = await approveOne(manager, entry, { pin, lock });
        outcomes.push(outcome);
        if (!globals.json) say(outcome, globals);
      }
      const approved = outcomes.filter((one) => 'entryDigest' in one);
      const failed = outcomes.filter((one) => 'error' in one);
      if (globals.json) printJson({ approved, failed });
      else if (chosen.length === 0) print('every server is trusted already');
      return approved.length < chosen.length ? exitCodes.failed : exitCodes.ok;
    });
  },
});

/** What came of one approval. */
type Outcome =
  | { readonly name: string; readonly error: Failure }
  | {
      readonly name: string;
      readonly entryDigest: string;
      readonly program: string | undefined;
      /** What a program that runs others' code runs, as far as it is covered. */
      readonly runs: Runs | undefined;
      /** The tools that were recorded; none when they could not be seen. */
      readonly tools: readonly string[] | undefined;
      /** What is to be known about it. */
      readonly notes: readonly string[];
      readonly lock: string | undefined;
    };

function checkNames(names: readonly string[], all: boolean): void {
  if (all === (names.length === 0)) return;
  throw all
    ? usageError('--all and names exclude each other', 'Leave out one of them.')
    : usageError('which servers?', 'Name them, or add --all. Names: mcpctl trust list');
}

async function open(
  manager: Manager,
  entries: readonly ServerEntry[],
): Promise<readonly ServerEntry[]> {
  const standings = await Promise.all(entries.map(({ name }) => manager.trustOf(name)));
  return entries.filter(({ enabled }, at) => enabled && standings[at]?.verdict !== 'trusted');
}

function entryNamed(name: string, entries: readonly ServerEntry[]): ServerEntry {
  const found = entries.find((entry) => entry.name === name);
  if (found !== undefined) return found;
  throw unknownServer(name, entries);
}

/** Whether the person at the terminal agrees; without one, nobody does. */
async function asks(name: string, stop: AbortSignal): Promise<boolean> {
  if (!process.stdin.isTTY || !process.stderr.isTTY) {
    throw new KitError('refused_by_policy', `${name} is not approved: nobody can be asked here`, {
      hint: `Look at what it would do, above. If you trust it: mcpctl trust approve ${commandLine([name])} --yes`,
    });
  }
  const questioner = new Questioner(stop);
  try {
    const outcome = await questioner.ask('Approve it? [y/N] ');
    // A signal ends everything; what was read with it is no answer.
    if (outcome === 'interrupted' || stop.aborted) {
      throw new KitError('aborted', 'interrupted: nothing is approved');
    }
    const isAgreed = typeof outcome === 'object' && /^y(es)?$/i.test(outcome.line.trim());
    if (!isAgreed) tell(`${plainField(name)} is not approved`);
    return isAgreed;
  } finally {
    questioner.close();
  }
}

interface How {
  readonly pin: boolean;
  readonly lock: boolean;
}

async function approveOne(manager: Manager, entry: ServerEntry, how: How): Promise<Outcome> {
  try {
    return await approveAsItIs(manager, entry, how);
  } catch (error) {
    return { name: entry.name, error: describeFailure(error) };
  }
}

async function approveAsItIs(
  manager: Manager,
  entry: ServerEntry,
  { pin, lock }: How,
): Promise<Outcome> {
  const { name } = entry;
  const by = userName();
  // A lock that disagrees would stop the server from being started to look at its tools.
  if (lock) await lockIn(entry, (await manager.approve(name, { by, pin: false })).receipt);
  const { receipt, unpinned } = await manager.approve(name, { by, pin });
  const { entryDigest, executable, runs, tools } = receipt;
  const file = lock ? await lockIn(entry, receipt) : undefined;
  const { verdict } = await manager.trustOf(name);
  return {
    name,
    entryDigest,
    program: executable?.path,
    runs,
    tools: tools && Object.keys(tools),
    notes:
      verdict === 'trusted'
        ? unpinnedNotes(unpinned)
        : [`${lockPath(entry.provenance.file)} has something else: approve it with --lock as well`],
    lock: file,
  };
}

function unpinnedNotes(unpinned: Error | undefined): readonly string[] {
  if (unpinned === undefined) return [];
  return [`its tools are not recorded, and will be at first use: ${unpinned.message}`];
}

/** Notes an approval in the lock of its configuration; where that is. */
async function lockIn(entry: ServerEntry, receipt: Receipt): Promise<string> {
  const file = lockPath(entry.provenance.file);
  await updateLock(file, (pins) => new Map(pins).set(entry.name, pinOf(receipt)));
  return file;
}

function say(outcome: Outcome, globals: Globals): void {
  const name = plainField(outcome.name);
  if ('error' in outcome) {
    const { message, hint } = outcome.error;
    tell(`${name} is not approved: ${message}`);
    if (hint !== undefined) warn(globals, plainText(hint));
    return;
  }
  const { tools, lock, notes } = outcome;
  const pinned = tools === undefined ? '' : `, with ${count(tools.length, 'tool')}`;
  const names = tools === undefined || tools.length === 0 ? '' : `: ${tools.join(', ')}`;
  print(plainField(`approved ${name}${pinned}${names}`));
  if (lock !== undefined) print(`locked in ${lock}`);
  for (const note of notes) warn(globals, plainField(`${name}: ${note}`));
}
