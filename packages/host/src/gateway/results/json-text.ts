import { ofLastRead } from './last-read.ts';
import type { Kept } from './store.ts';

/** Texts that are shorter are parsed as often as they are read. */
const longText = 65_536;

/** Parses texts of kept results that are JSON; the long ones of the result that was read last only once. */
export interface JsonTexts {
  /** The object or list that a text is the JSON of. */
  parsed(kept: Kept, text: string): object | undefined;
}

export function jsonTexts(): JsonTexts {
  const textsOf = ofLastRead(() => new Map<string, object | undefined>());
  return {
    parsed(kept, text) {
      if (text.length < longText) return parsedJson(text);
      const texts = textsOf(kept);
      if (!texts.has(text)) texts.set(text, parsedJson(text));
      return texts.get(text);
    },
  };
}

function parsedJson(text: string): object | undefined {
  if (!/^\s*[[{]/.test(text)) return undefined;
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
