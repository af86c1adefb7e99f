import { isRecord } from 'mcp-kit/internal';
import type { ParseText } from './json-text.ts';
import { beginningOf, isMedia } from './size.ts';
import type { Kept } from './store.ts';

const maxParts = 12;
const maxKeys = 24;
const maxDepth = 5;
const sampled = 10;
const maxLine = 700;
const plainName = /^[\p{L}_$][\p{L}\p{N}_$-]*$/u;

/** What a result is made of, one line for each part of it, with the path that reads it. */
export function shapeOf({ result }: Kept, bytes: number, parsed: ParseText): string {
  const { content, structuredContent } = result;
  const blocks: readonly unknown[] = Array.isArray(content) ? content : [];
  const lines = blocks.slice(0, maxParts).map((block, index) => blockLine(block, index, parsed));
  if (blocks.length > maxParts) lines.push(`… ${blocks.length} blocks in all: $.content`);
  if (structuredContent !== undefined) {
    lines.unshift(line('$.structuredContent', shape(structuredContent, 0)));
  }
  return beginningOf(lines.join('\n'), bytes);
}

function line(path: string, said: string): string {
  return said.length <= maxLine ? `${path}: ${said}` : `${path}: ${said.slice(0, maxLine)}…`;
}

function blockLine(block: unknown, index: number, parsed: ParseText): string {
  const path = `$.content[${index}]`;
  if (!isRecord(block)) return line(path, shape(block, 0));
  const { type, text, data, mimeType } = block;
  if (type === 'text' && typeof text === 'string') {
    const json = parsed(text);
    const said = `text of ${text.length} characters`;
    return line(`${path}.text`, json === undefined ? said : `${said}, JSON: ${shape(json, 0)}`);
  }
  if ((type === 'image' || type === 'audio') && typeof data === 'string') {
    const said = `${type} ${String(mimeType)}, ${data.length} characters of base64`;
    return isMedia(block) ? line(path, said) : line(`${path}.data`, said);
  }
  return line(path, shape(block, 0));
}

function shape(value: unknown, depth: number): string {
  if (value === null) return 'null';
  if (typeof value === 'string') return `text(${value.length})`;
  if (Array.isArray(value)) {
    if (value.length === 0) return '[]';
    return depth >= maxDepth
      ? `list of ${value.length}`
      : `list of ${value.length}: ${shapeOfItems(value, depth + 1)}`;
  }
  if (!isRecord(value)) return typeof value;
  const keys = Object.keys(value);
  if (depth >= maxDepth) return `object of ${keys.length}`;
  const shown = keys
    .slice(0, maxKeys)
    .map((key) => `${nameOf(key)}: ${shape(value[key], depth + 1)}`);
  if (keys.length > maxKeys) shown.push(`… ${keys.length} members`);
  return `{${shown.join(', ')}}`;
}

/** The first ones speak for all: their members together, as the first that has each has it. */
function shapeOfItems(items: readonly unknown[], depth: number): string {
  const first = items.slice(0, sampled);
  const records = first.filter(isRecord);
  if (records.length < first.length) {
    return [...new Set(first.map((item) => shape(item, depth)))].slice(0, 3).join(' | ');
  }
  return shape(Object.assign({}, ...records.toReversed()), depth);
}

function nameOf(key: string): string {
  const shown = key.length > 60 ? `${key.slice(0, 60)}…` : key;
  return plainName.test(shown) ? shown : JSON.stringify(shown);
}
