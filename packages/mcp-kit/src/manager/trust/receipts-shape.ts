import { isRecord } from '#jsonrpc';
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
  const { executable, runs, envFile } = members;
  return {
    ...readPin(members, place),
    ...(executable !== undefined && {
      executable: readExecutable(executable, below(place, 'executable')),
    }),
    ...(runs !== undefined && { runs: readRuns(runs, below(place, 'runs')) }),
    ...(envFile !== undefined && { envFile: digestIn(members, 'envFile', place) }),
    approvedAt: textIn(members, 'approvedAt', place),
    by: textIn(members, 'by', place),
  };
}

function readPin(members: Members, place: Place): Pin {
  const digest = digestIn(members, 'entryDigest', place);
  const { entry, tools } = members;
  if (!isRecord(entry)) throw wrong(below(place, 'entry'), 'must be an object');
  if (tools === undefined) return { entryDigest: digest, entry };
  const table = mapOf(tools, below(place, 'tools'), readTool);
  return { entryDigest: digest, entry, tools: Object.fromEntries(table) };
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
  const { size, stamp } = members;
  if (typeof size !== 'number') throw wrong(below(place, 'size'), 'must be a number');
  const sha256 = textIn(members, 'sha256', place);
  if (!/^[0-9a-f]{64}$/.test(sha256)) throw wrong(below(place, 'sha256'), 'must be a SHA-256');
  return {
    path: textIn(members, 'path', place),
    size,
    sha256,
    ...(stamp !== undefined && { stamp: textIn(members, 'stamp', place) }),
  };
}

function readRuns(value: unknown, place: Place): Runs {
  const members = membersOf(value, place, ['runners', 'files', 'package', 'image', 'gaps']);
  const { files, package: of, image } = members;
  return {
    runners: textsIn(members, 'runners', place),
    ...(files !== undefined && {
      files: Object.fromEntries(mapOf(files, below(place, 'files'), readFileIdentity)),
    }),
    ...(of !== undefined && {
      package: readPair(of, below(place, 'package'), ['spec', 'integrity']),
    }),
    ...(image !== undefined && {
      image: readPair(image, below(place, 'image'), ['name', 'digest']),
    }),
    gaps: textsIn(members, 'gaps', place),
  };
}

/** An object with a text, and another that may be missing. */
function readPair<A extends string, B extends string>(
  value: unknown,
  place: Place,
  [first, second]: readonly [A, B],
): { readonly [K in A]: string } & { readonly [K in B]?: string } {
  const members = membersOf(value, place, [first, second]);
  return {
    [first]: textIn(members, first, place),
    ...(members[second] !== undefined && { [second]: textIn(members, second, place) }),
  } as { readonly [K in A]: string } & { readonly [K in B]?: string };
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
  const text = textIn(members, name, place);
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) throw wrong(below(place, name), 'must be a fingerprint');
  return text;
}

function textIn(members: Members, name: string, place: Place): string {
  const value = members[name];
  if (typeof value !== 'string') throw wrong(below(place, name), 'must be text');
  return value;
}

function wrong(place: Place, what: string): Error {
  return configError(place, `${what}; nothing in this file counts as approved`, {
    hint: 'Restore the file, or remove it and approve your servers again.',
  });
}
