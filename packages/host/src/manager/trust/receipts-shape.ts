import { isRecord } from 'mcp-kit/internal';
import { below, configError, topOf, type Place } from '../config/place.ts';
import { digestOf } from './canonical.ts';
import type { Executable, FileIdentity } from './executable.ts';
import type { Pin, PinnedTool, Receipt } from './receipt.ts';
import type { Runs } from './runs.ts';

type Read<T> = (value: unknown, place: Place) => T;

/** The receipts in a file, by configuration and server. Whatever is not as we write it is refused. */
export function readReceiptTable(value: unknown, file: string): Map<string, Map<string, Receipt>> {
  return versionOne(value, file, 'configs').get('configs', (configs, place) =>
    mapOf(configs, place, (servers, at) => mapOf(servers, at, readReceipt)),
  );
}

/** The pins in a file, by server. Whatever is not as we write it is refused. */
export function readPins(value: unknown, file: string): Map<string, Pin> {
  const read: Read<Pin> = (pin, at) => pinIn(shapeOf(pin, at, ['entryDigest', 'entry', 'tools']));
  return versionOne(value, file, 'servers').get('servers', (all, at) => mapOf(all, at, read));
}

function versionOne(value: unknown, file: string, content: string): Shape {
  const shape = shapeOf(value, topOf(file), ['version', content]);
  shape.get('version', (version, at) => {
    if (version !== 1) throw wrong(at, 'must be 1');
  });
  return shape;
}

const receiptMembers = 'entryDigest entry tools executable runs envFile caFile approvedAt by'.split(
  ' ',
);

function readReceipt(value: unknown, place: Place): Receipt {
  const shape = shapeOf(value, place, receiptMembers);
  return {
    ...pinIn(shape),
    executable: shape.maybe('executable', readExecutable),
    runs: shape.maybe('runs', readRuns),
    envFile: shape.maybe('envFile', readDigest),
    caFile: shape.maybe('caFile', readDigest),
    approvedAt: shape.get('approvedAt', readText),
    by: shape.get('by', readText),
  };
}

function pinIn(shape: Shape): Pin {
  return {
    entryDigest: shape.get('entryDigest', readDigest),
    entry: shape.get('entry', readRecord),
    tools: shape.maybe('tools', (tools, at) => Object.fromEntries(mapOf(tools, at, readTool))),
  };
}

function readTool(value: unknown, place: Place): PinnedTool {
  const shape = shapeOf(value, place, ['digest', 'definition']);
  const digest = shape.get('digest', readDigest);
  const definition = shape.get('definition', readRecord);
  if (digestOf(definition) !== digest) {
    throw wrong(below(place, 'digest'), 'is not that of the definition');
  }
  return { digest, definition };
}

const fileMembers = ['path', 'size', 'sha256', 'stamp'];

function readExecutable(value: unknown, place: Place): Executable {
  const shape = shapeOf(value, place, ['found', ...fileMembers]);
  return { found: shape.get('found', readText), ...fileIn(shape) };
}

function readFileIdentity(value: unknown, place: Place): FileIdentity {
  return fileIn(shapeOf(value, place, fileMembers));
}

function fileIn(shape: Shape): FileIdentity {
  return {
    path: shape.get('path', readText),
    size: shape.get('size', (size, at) => {
      if (typeof size !== 'number') throw wrong(at, 'must be a number');
      return size;
    }),
    sha256: shape.get('sha256', (sha256, at) => {
      const text = readText(sha256, at);
      if (!/^[0-9a-f]{64}$/.test(text)) throw wrong(at, 'must be a SHA-256');
      return text;
    }),
    stamp: shape.maybe('stamp', readText),
  };
}

function readRuns(value: unknown, place: Place): Runs {
  const shape = shapeOf(value, place, ['runners', 'files', 'package', 'image', 'gaps']);
  return {
    runners: shape.get('runners', readTexts),
    files: shape.maybe('files', (files, at) =>
      Object.fromEntries(mapOf(files, at, readFileIdentity)),
    ),
    package: shape.maybe('package', (of, at) => {
      const { get, maybe } = shapeOf(of, at, ['spec', 'integrity']);
      return { spec: get('spec', readText), integrity: maybe('integrity', readText) };
    }),
    image: shape.maybe('image', (image, at) => {
      const { get, maybe } = shapeOf(image, at, ['name', 'digest']);
      return { name: get('name', readText), digest: maybe('digest', readText) };
    }),
    gaps: shape.get('gaps', readTexts),
  };
}

/** An object of which each member is read for itself. */
interface Shape {
  get<T>(name: string, read: Read<T>): T;
  /** The same for a member that may be missing. */
  maybe<T>(name: string, read: Read<T>): T | undefined;
}

function shapeOf(value: unknown, place: Place, names: readonly string[]): Shape {
  const members = readRecord(value, place);
  const other = Object.keys(members).find((name) => !names.includes(name));
  if (other !== undefined) throw wrong(below(place, other), 'is unknown');
  const get: Shape['get'] = (name, read) => read(members[name], below(place, name));
  return {
    get,
    maybe: (name, read) => (members[name] === undefined ? undefined : get(name, read)),
  };
}

function mapOf<T>(value: unknown, place: Place, read: Read<T>): Map<string, T> {
  const members = Object.entries(readRecord(value, place));
  return new Map(members.map(([name, item]) => [name, read(item, below(place, name))]));
}

function readRecord(value: unknown, place: Place): Readonly<Record<string, unknown>> {
  if (!isRecord(value)) throw wrong(place, 'must be an object');
  return value;
}

function readTexts(value: unknown, place: Place): readonly string[] {
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value;
  throw wrong(place, 'must be a list of texts');
}

function readDigest(value: unknown, place: Place): string {
  const text = readText(value, place);
  if (!/^sha256:[0-9a-f]{64}$/.test(text)) throw wrong(place, 'must be a fingerprint');
  return text;
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
