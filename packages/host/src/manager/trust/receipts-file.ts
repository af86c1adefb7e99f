import { lstatSync } from 'node:fs';
import path from 'node:path';
import { replaceFile, stateFolder, whileChanging } from 'mcp-kit/internal';
import { configError, topOf } from '../config/place.ts';
import { readConfigFile } from '../config/read-file.ts';
import { parseStrictJson } from '../config/format/strict-json.ts';
import { maxDepth } from './canonical.ts';
import type { Pin, Receipt, TrustEntry } from './receipt.ts';
import { readPins, readReceiptTable } from './receipts-shape.ts';

/** The receipts of this user, by configuration file and server. */
export type Receipts = ReadonlyMap<string, ReadonlyMap<string, Receipt>>;

/** What those who share a configuration saw, by server. */
export type Pins = ReadonlyMap<string, Pin>;

/** Approvals of all projects are in one file, and servers choose how large their part is: all that was written can be read. */
const limits = { maxBytes: 16 * 1024 * 1024, deepest: maxDepth + 16 };

/** Where this user's approvals are kept. */
export function receiptsPath(env: Readonly<Record<string, string | undefined>>): string {
  return path.join(stateFolder(env), 'trust.json');
}

/** Where the pins of a configuration file are kept: beside it. */
export function lockPath(configFile: string): string {
  return path.join(path.dirname(path.resolve(configFile)), 'mcp.lock');
}

/** The receipt for an entry, if its user has given one. */
export function receiptFor(receipts: Receipts, entry: TrustEntry): Receipt | undefined {
  return receipts.get(path.resolve(entry.provenance.file))?.get(entry.name);
}

/** The receipts with one more, or without it when none is given. */
export function withReceipt(receipts: Receipts, entry: TrustEntry, receipt?: Receipt): Receipts {
  const file = path.resolve(entry.provenance.file);
  if (receipt === undefined) return withoutReceipt(receipts, file, entry.name);
  const servers = new Map(receipts.get(file));
  return new Map(receipts).set(file, servers.set(entry.name, receipt));
}

/** The receipts without that of a server, whether or not it is still in its file. */
export function withoutReceipt(receipts: Receipts, file: string, server: string): Receipts {
  const servers = new Map(receipts.get(file));
  servers.delete(server);
  const all = new Map(receipts);
  if (servers.size === 0) all.delete(file);
  else all.set(file, servers);
  return all;
}

/** Reads what a user has approved. A file that cannot be read or could be another's word is an error: nothing is approved. */
export async function readReceipts(file: string): Promise<Receipts> {
  const text = await readConfigFile(file, limits);
  if (text === undefined) return new Map();
  checkOwner(file);
  return readReceiptTable(parseStrictJson(text, file, limits.deepest), file);
}

/** Reads the pins that come with a configuration; none without the file. */
export async function readLock(file: string): Promise<Pins> {
  const text = await readConfigFile(file, limits);
  if (text === undefined) return new Map();
  return readPins(parseStrictJson(text, file, limits.deepest), file);
}

/** Changes what a user has approved, one process at a time; the file is whole at every moment. */
export async function updateReceipts(
  file: string,
  change: (receipts: Receipts) => Receipts,
): Promise<Receipts> {
  return whileChanging(file, async () => {
    const receipts = change(await readReceipts(file));
    const configs = inOrder(receipts, (servers) => inOrder(servers, (receipt) => receipt));
    await replace(file, { version: 1, configs }, 0o600);
    return receipts;
  });
}

/** Changes the pins that are to come with a configuration, one process at a time. */
export async function updateLock(file: string, change: (pins: Pins) => Pins): Promise<void> {
  await whileChanging(file, async () => {
    const pins = change(await readLock(file));
    await replace(file, { version: 1, servers: inOrder(pins, (pin) => pin) }, 0o644);
  });
}

function inOrder<T>(map: ReadonlyMap<string, T>, write: (value: T) => unknown): object {
  const sorted = [...map].sort(([one], [other]) => (one < other ? -1 : 1));
  return Object.fromEntries(sorted.map(([name, value]) => [name, write(value)]));
}

function checkOwner(file: string): void {
  if (process.getuid === undefined) return;
  const { uid, mode } = lstatSync(file);
  const isOurs = uid === process.getuid() || uid === 0;
  if (isOurs && (mode & 0o022) === 0) return;
  throw configError(topOf(file), 'others can write to it, so nothing in it counts as approved', {
    hint: `Look at what it says, then: chown "$USER" ${file} && chmod 600 ${file}`,
  });
}

function replace(file: string, value: unknown, mode: number): Promise<void> {
  const text = `${JSON.stringify(value, null, 2)}\n`;
  if (Buffer.byteLength(text) > limits.maxBytes) {
    throw configError(topOf(file), `would be larger than ${limits.maxBytes} bytes`, {
      hint: 'Take back approvals that are not needed: mcpctl trust list, mcpctl trust revoke SERVER',
    });
  }
  return replaceFile(file, text, mode);
}
