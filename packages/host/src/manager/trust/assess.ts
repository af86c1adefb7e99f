import { findProgram, KitError } from 'mcp-kit/internal';
import { readConfigFile } from '../config/read-file.ts';
import { digestOf } from './canonical.ts';
import { changesBetween, type Change } from './diff.ts';
import { identify, type Executable, type FileIdentity, type Launch } from './executable.ts';
import { entryDigest, snapshotOf, type Pin, type Receipt, type TrustEntry } from './receipt.ts';
import { identifyRuns, isOfMachine, type Runs } from './runs.ts';
import { pinTools, type ToolDefinition } from './tools.ts';

/** What is known of a server from before: the word of the user, and what those who share the configuration saw. */
export interface Known {
  readonly receipt?: Receipt | undefined;
  /** From `mcp.lock`. It comes with the configuration, so it can only take trust away. */
  readonly pin?: Pin | undefined;
}

/** What the assessment needs to know of this machine. */
export interface TrustSystem {
  /** How the program of an entry would be started; asked only for entries that are as they were approved. */
  readonly launchOf: (entry: TrustEntry) => Launch | undefined;
  /** The file of the certificates that an entry names. */
  readonly caFileOf: (entry: TrustEntry) => string | undefined;
}

/** `changed` is untrusted as well: it was approved, and is no longer what was. */
export interface Assessment {
  readonly verdict: 'trusted' | 'untrusted' | 'changed';
  readonly changes: readonly Change[];
  /** The program of a server that is trusted: the file to start, whatever its name leads to by then. */
  readonly program?: string | undefined;
}

/** Whether a server may be used: as it is now, it is what its user approved. */
export async function assess(
  entry: TrustEntry,
  { receipt, pin }: Known,
  system: TrustSystem,
): Promise<Assessment> {
  const digest = entryDigest(entry);
  const since = (earlier: Pin): readonly Change[] => entryChanges(earlier, entry);
  if (receipt === undefined) {
    const changes = pin === undefined || pin.entryDigest === digest ? [] : since(pin);
    return { verdict: 'untrusted', changes };
  }
  for (const earlier of [receipt, pin]) {
    if (earlier !== undefined && earlier.entryDigest !== digest) {
      return { verdict: 'changed', changes: since(earlier) };
    }
  }
  const launch = system.launchOf(entry);
  const program = launch && (await programOf(launch, receipt));
  const { executable, runs } = program ?? {};
  const changes = changesBetween(
    {
      executable: withoutStamp(receipt.executable),
      runs: comparable(receipt.runs),
      envFile: receipt.envFile,
      caFile: receipt.caFile,
    },
    {
      executable: withoutStamp(executable),
      runs: comparable(runs, receipt.runs),
      envFile: await fingerprintOf(launch?.envFile),
      caFile: await fingerprintOf(system.caFileOf(entry)),
    },
  );
  const isMissing = launch !== undefined && program === undefined;
  if (changes.length > 0 || isMissing) return { verdict: 'changed', changes };
  return { verdict: 'trusted', changes, program: program?.found };
}

/** What a launch would start, and what that would run. */
interface Program {
  readonly found: string;
  /** Unless it is a program of this machine that only runs others' code. */
  readonly executable?: Executable | undefined;
  readonly runs?: Runs | undefined;
}

async function programOf(
  launch: Launch,
  known: Pick<Receipt, 'executable' | 'runs'>,
): Promise<Program | undefined> {
  const found = findProgram(launch.command, launch);
  if (found === undefined) return undefined;
  const isHeld = !isOfMachine(launch, found);
  const executable = isHeld ? await identify(launch, known.executable) : undefined;
  if (isHeld && executable === undefined) return undefined;
  const runs = await identifyRuns(launch, known.runs);
  return { found, executable, runs };
}

/** What is held to: not where nothing was known when it was approved, nor what cannot be covered. */
function comparable(runs: Runs | undefined, approved = runs): unknown {
  if (runs === undefined) return undefined;
  const { runners, files = {}, package: of, image } = runs;
  const integrity = approved?.package?.integrity && of?.integrity;
  const digest = approved?.image?.digest && image?.digest;
  return {
    runners,
    files: Object.fromEntries(
      Object.entries(files).map(([place, file]) => [place, withoutStamp(file)]),
    ),
    package: of && { spec: of.spec, integrity },
    image: image && { name: image.name, digest },
  };
}

/** Notes that the user approves of a server as it is now. */
export async function approve(
  entry: TrustEntry,
  system: TrustSystem,
  options: {
    readonly by: string;
    readonly tools?: readonly ToolDefinition[] | undefined;
    /** When it is; now. */
    readonly at?: Date | undefined;
  },
): Promise<Receipt> {
  const { by, tools, at = new Date() } = options;
  const launch = system.launchOf(entry);
  const program = launch && (await programOf(launch, {}));
  if (launch !== undefined && program === undefined) throw noProgram(entry.name, launch);
  const { executable, runs } = program ?? {};
  const envFile = await fingerprintOf(launch?.envFile);
  const caFile = await fingerprintOf(system.caFileOf(entry));
  return {
    entryDigest: entryDigest(entry),
    entry: snapshotOf(entry),
    executable,
    runs,
    envFile,
    caFile,
    tools: tools && pinTools(tools),
    approvedAt: at.toISOString(),
    by,
  };
}

async function fingerprintOf(file: string | undefined): Promise<string | undefined> {
  const text = file === undefined ? undefined : await readConfigFile(file, { follow: true });
  return text === undefined ? undefined : digestOf(text);
}

function noProgram(server: string, { command }: Launch): KitError {
  return new KitError('process_failed', `mcp server ${server}: there is no program ${command}`, {
    hint: 'Install it, or correct the command: only a program that is there can be approved.',
    details: { ran: false },
  });
}

/** The part of a receipt that others may have: nothing of this machine or its user. */
export function pinOf({ entryDigest: digest, entry, tools }: Receipt): Pin {
  return { entryDigest: digest, entry, tools };
}

function entryChanges(earlier: Pin, entry: TrustEntry): readonly Change[] {
  const changes = changesBetween(earlier.entry, snapshotOf(entry), '/entry');
  if (changes.length > 0) return changes;
  // What was written down of it does not tell, so the fingerprints must.
  return [{ pointer: '/entryDigest', before: earlier.entryDigest, now: entryDigest(entry) }];
}

function withoutStamp(file: FileIdentity | undefined): unknown {
  if (file === undefined) return undefined;
  const { stamp: _, ...rest } = file;
  return rest;
}
