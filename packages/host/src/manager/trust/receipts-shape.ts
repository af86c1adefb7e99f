import { isRecord } from 'mcp-kit/internal';
import { below, configError, topOf, type Place } from '../config/place.ts';
import { digestOf } from './canonical.ts';
import type { Executable, FileIdentity } from './executable.ts';
import type { Pin, PinnedTool, Receipt } from './receipt.ts';
import type { Runs } from './runs.ts';

type Members = Readonly<Record<string, unknown>>;

/** The receipts in a file, by configuration and server. Whatever is not as we write it is refused. */
export function readReceiptTable(value: unknown, file: string): Map<string, Map<string, Receipt>> {
  const place = topOf(file);
  const document = membersOf(value, place, ['version', 'configs']);
  checkVersion(document, place);
  return mapOf(document['configs'], below(place, 'configs'), (servers, at) =>
    mapOf(servers, at, readReceipt),
  );
}

/** The pins in a file, by server. Whatever is not as we write it is refused. */
export function readPins(value: unknown, file: string): Map<string, Pin> {
  const place = topOf(file);
  const document = membersOf(value, place, ['version', 'servers']);
  checkVersion(document, place);
  return mapOf(document['servers'], below(place, 'servers'), (pin, at) =>
    readPin(membersOf(pin, at, ['entryDigest', 'entry', 'tools']), at),
  );
}

function checkVersion({ version }: Members, place: Place): void {
  if (version !== 1) throw wrong(below(place, 'version'), 'must be 1');
}

function readReceipt(value: unknown, place: Place): Receipt {
  const fields = [
    'entryDigest',
    'entry',
    'tools',
    'executable',
    'runs',
    'envFile',
    'approvedAt',
    'by',
  ];
  const members = membersOf(value, place, fields);
  return {
    ...readPin(members, place),
    executable: optional(members, 'executable', { place, read: readExecutable }),
    runs: optional(members, 'runs', { place, read: readRuns }),
    envFile: optional(members, 'envFile', { place, read: readDigest }),
    approvedAt: textIn(members, 'approvedAt', place),
    by: textIn(members, 'by', place),
  };
}

function readPin(members: Members, place: Place): Pin {
  const digest = digestIn(members, 'entryDigest', place);
  const { entry } = members;
  if (!isRecord(entry)) throw wrong(below(place, 'entry'), 'must be an object');
  return {
    entryDigest: digest,
    entry,
    tools: optional(members, 'tools', { place, read: readTools }),
  };
}

function readTools(value: unknown, place: Place): Pin['tools'] {
  return Object.fromEntries(mapOf(value, place, readTool));
}

function readTool(value: unknown, place: Place): PinnedTool {
  const members = membersOf(value, place, ['digest', 'definition']);
  const digest = digestIn(members, 'digest', place);
  const { definition } = members;
  if (!isRecord(definition)) throw wrong(below(place, 'definition'), 'must be an object');
  if (digestOf(definition) !== digest) {
    throw wrong(below(place, 'digest'), 'is not that of the definition');
  }
  return { digest, definition };
}

function readExecutable(value: unknown, place: Place): Executable {
  const members = membersOf(value, place, ['found', 'path', 'size', 'sha256', 'stamp']);
  const { found: _, ...file } = members;
  return { found: textIn(members, 'found', place), ...readFileIdentity(file, place) };
}

function readFileIdentity(value: unknown, place: Place): FileIdentity {
  const members = membersOf(value, place, ['path', 'size', 'sha256', 'stamp']);
  const { size } = members;
  if (typeof size !== 'number') throw wrong(below(place, 'size'), 'must be a number');
  const sha256 = textIn(members, 'sha256', place);
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw wrong(below(place, 'sha256'), 'must be a SHA-256');
  return {
    path: textIn(members, 'path', place),
    size,
    sha256,
    stamp: optional(members, 'stamp', { place, read: readText }),
  };
}

function readRuns(value: unknown, place: Place): Runs {
  const members = membersOf(value, place, ['runners', 'files', 'package', 'image', 'gaps']);
  return {
    runners: textsIn(members, 'runners', place),
    files: optional(members, 'files', { place, read: readFiles }),
    package: optional(members, 'package', { place, read: readPackage }),
    image: optional(members, 'image', { place, read: readImage }),
    gaps: textsIn(members, 'gaps', place),
  };
}

function readFiles(value: unknown, place: Place): Runs['files'] {
  return Object.fromEntries(mapOf(value, place, readFileIdentity));
}

function readPackage(value: unknown, place: Place): Runs['package'] {
  const members = membersOf(value, place, ['spec', 'integrity']);
  const integrity = optional(members, 'integrity', { place, read: readText });
  return { spec: textIn(members, 'spec', place), integrity };
}

function readImage(value: unknown, place: Place): Runs['image'] {
  const members = membersOf(value, place, ['name', 'digest']);
  const digest = optional(members, 'digest', { place, read: readText });
  return { name: textIn(members, 'name', place), digest };
}

/** A member that may be missing. */
function optional<T>(
  members: Members,
  name: string,
  { place, read }: { readonly place: Place; readonly read: (value: unknown, place: Place) => T },
): T | undefined {
  return members[name] === undefined ? undefined : read(members[name], below(place, name));
}

function textsIn(members: Members, name: string, place: Place): readonly string[] {
  const value = members[name];
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw wrong(below(place, name), 'must be a list of texts');
}

function mapOf<T>(
  value: unknown,
  place: Place,
  read: (value: unknown, place: Place) => T,
): Map<string, T> {
  if (!isRecord(value)) throw wrong(place, 'must be an object');
  return new Map(
    Object.entries(value).map(([name, item]) => [name, read(item, below(place, name))]),
  );
}

function membersOf(value: unknown, place: Place, names: readonly string[]): Members {
  if (!isRecord(value)) throw wrong(place, 'must be an object');
  const other = Object.keys(value).find((name) => !names.includes(name));
  if (other !== undefined) throw wrong(below(place, other), 'is unknown');
  return value;
}

function digestIn(members: Members, name: string, place: Place): string {
  return readDigest(members[name], below(place, name));
}

function readDigest(value: unknown, place: Place): string {
  const text = readText(value, place);
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) throw wrong(place, 'must be a fingerprint');
  return text;
}

function textIn(members: Members, name: string, place: Place): string {
  return readText(members[name], below(place, name));
}

function readText(value: unknown, place: Place): string {
  if (typeof value !== 'string') throw wrong(place, 'must be text');
  return value;
}

function wrong(place: Place, what: string): Error {
  return configError(place, `${what}; nothing in this file counts as approved`, {
    hint: 'Restore the file, or remove it and approve your servers again.',
  });
}
