import { isDeepStrictEqual } from 'node:util';
import { isRecord } from 'mcp-kit/internal';
import type { CallToolResult, ContentBlock, ResourceContents } from 'mcp-kit/protocol';
import { commandFor, type Target } from '../target.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { contentText, prettyJson } from './item.ts';
import type { Folder } from './save.ts';

/** Where content goes that is no text; without a folder it is only mentioned. */
export interface ContentPlace {
  readonly server: string;
  /** The server, if it was typed. */
  readonly target: Target | undefined;
  readonly folder: Folder | undefined;
}

/** The result of a tool as lines for people. */
export async function showResult(
  { content, structuredContent }: CallToolResult,
  place: ContentPlace,
): Promise<readonly string[]> {
  const lines: string[] = [];
  for (const block of content) {
    // Servers repeat their structured content as text, for clients that know no other.
    if (structuredContent !== undefined && repeats(block, structuredContent)) continue;
    lines.push(await showBlock(block, place));
  }
  const isTold = lines.length > 0 && isEnvelope(structuredContent);
  if (structuredContent !== undefined && !isTold) lines.push(prettyJson(structuredContent));
  return lines;
}

/** Whether a governed tool has answered: what it says in words is the same, made to be read. */
function isEnvelope(value: unknown): boolean {
  if (!isRecord(value) || typeof value['success'] !== 'boolean') return false;
  const { meta } = value;
  return 'data' in value && 'error' in value && isRecord(meta) && 'traceId' in meta;
}

function repeats(block: ContentBlock, structured: unknown): boolean {
  if (!isWhole(block) || block.type !== 'text') return false;
  try {
    return isDeepStrictEqual(JSON.parse(block.text), structured);
  } catch {
    return false;
  }
}

/** One piece of content as a line for people, or several. */
export async function showBlock(block: ContentBlock, place: ContentPlace): Promise<string> {
  if (!isWhole(block)) return prettyJson(block);
  switch (block.type) {
    case 'text':
      return contentText(block.text);
    case 'image':
    case 'audio':
      return showBinary(block.type, { base64: block.data, mimeType: block.mimeType }, place);
    case 'resource':
      return showContents(block.resource, place);
    case 'resource_link':
      return plainLine(
        `${block.name} <${block.uri}>: ${commandFor(place.target, place.server, ['read', block.uri])}`,
      );
    default:
      return prettyJson(block);
  }
}

/** What each kind of content cannot be shown without. */
const needed: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['data', 'mimeType'],
  audio: ['data', 'mimeType'],
  resource_link: ['name', 'uri'],
};

/** Whether a block is what its type says; servers do not always keep to that. */
function isWhole(block: unknown): boolean {
  if (!isRecord(block)) return false;
  const { type, resource } = block;
  if (type === 'resource') return isRecord(resource) && typeof resource['uri'] === 'string';
  return (needed[String(type)] ?? []).every((name) => typeof block[name] === 'string');
}

async function showContents(contents: ResourceContents, place: ContentPlace): Promise<string> {
  const { text, blob, mimeType = 'application/octet-stream', uri } = contents;
  if (typeof text === 'string') return contentText(text);
  const base64 = typeof blob === 'string' ? blob : '';
  return showBinary('resource', { base64, mimeType, name: uri }, place);
}

interface Binary {
  readonly base64: string;
  readonly mimeType: string;
  readonly name?: string | undefined;
}

async function showBinary(kind: string, binary: Binary, place: ContentPlace): Promise<string> {
  const bytes = Buffer.from(binary.base64, 'base64');
  const facts = plainLine(`${kind} ${binary.mimeType}, ${bytes.length} bytes`);
  if (place.folder === undefined) return `[${facts}; --output DIR saves it]`;
  return `[${facts}] ${await place.folder.save(bytes, { kind, ...binary })}`;
}
