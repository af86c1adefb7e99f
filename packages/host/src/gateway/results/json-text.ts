import { ofLastRead } from './last-read.ts';
import { bytesOf } from './size.ts';
import type { Kept } from './store.ts';

/** Texts that are shorter are parsed as often as they are read. */
const longText = 65_536;
/** So many characters are parsed in one turn: others have theirs within 50 ms. */
export const mostParsed = 2_000_000;
/** About how many bytes of JSON are made in one turn. */
const sliceBytes = 250_000;

/** The object or list that a text is the JSON of; nothing where it is none, or too long. */
export type ParseText = (text: string) => object | undefined;

/** Parses texts of kept results that are JSON; the long ones of the result that was read last only once. */
export interface JsonTexts {
  /** For one turn, in which so much is parsed at most. */
  parserOf(kept: Kept): ParseText;
}

export function jsonTexts(): JsonTexts {
  const textsOf = ofLastRead(() => new Map<string, object | undefined>());
  return {
    parserOf(kept) {
      const texts = textsOf(kept);
      let left = mostParsed;
      return (text) => {
        if (!isContainer.test(text)) return undefined;
        if (texts.has(text)) return texts.get(text);
        left -= text.length;
        if (left < 0) return undefined;
        const parsed = parsedJson(text);
        if (text.length >= longText) texts.set(text, parsed);
        return parsed;
      };
    },
  };
}

/** The JSON of a value, made in slices: what is large does not keep others waiting. */
export async function jsonInSlices(value: unknown): Promise<string> {
  let made = 0;
  const textOf = async (part: unknown): Promise<string | undefined> => {
    if (!isLargeContainer(part)) {
      const text: string | undefined = JSON.stringify(part);
      made += text?.length ?? 0;
      if (made < sliceBytes) return text;
      made = 0;
      await new Promise((resolve) => setImmediate(resolve));
      return text;
    }
    const texts: string[] = [];
    if (Array.isArray(part)) {
      for (const item of part) texts.push((await textOf(item)) ?? 'null');
      return `[${texts.join(',')}]`;
    }
    for (const [key, item] of Object.entries(part)) {
      const text = await textOf(item);
      if (text !== undefined) texts.push(`${JSON.stringify(key)}:${text}`);
    }
    return `{${texts.join(',')}}`;
  };
  return (await textOf(value)) ?? 'null';
}

function isLargeContainer(value: unknown): value is object {
  return typeof value === 'object' && value !== null && bytesOf(value, sliceBytes) > sliceBytes;
}

const isContainer = /^\s*[[{]/;

function parsedJson(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The first characters of a value as JSON, at most about so many; the rest of it is not looked at. */
export function jsonBeginning(value: unknown, characters: number): string {
  if (typeof value === 'string') return JSON.stringify(value.slice(0, characters));
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  const isList = Array.isArray(value);
  let text = isList ? '[' : '{';
  for (const key in value) {
    if (text.length >= characters) return text;
    if (text.length > 1) text += ',';
    if (!isList) text += `${JSON.stringify(key)}:`;
    text += jsonBeginning((value as Record<string, unknown>)[key], characters - text.length);
  }
  return text + (isList ? ']' : '}');
}
