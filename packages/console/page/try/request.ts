import type { Offer } from './offers.ts';

/** What is asked of the gateway. */
export interface Asked {
  readonly method: string;
  readonly params: Readonly<Record<string, unknown>>;
}

/** The request for what somebody has typed; an error where that is no JSON object. */
export function requestOf({ kind, name }: Offer, text: string): Asked | Error {
  if (kind === 'resource') return { method: 'resources/read', params: { uri: name } };
  let args: unknown;
  try {
    args = JSON.parse(text);
  } catch (error) {
    return error instanceof Error ? error : new Error(String(error));
  }
  if (typeof args !== 'object' || args === null || Array.isArray(args)) {
    return new Error('Arguments are one JSON object.');
  }
  if (kind === 'prompt') return { method: 'prompts/get', params: { name, arguments: args } };
  if (kind === 'tool') return { method: 'tools/call', params: { name, arguments: args } };
  const values = args as Readonly<Record<string, unknown>>;
  return { method: 'resources/read', params: { uri: expanded(name, values) } };
}

/** A template of URIs with its variables filled in: simple ones, and paths. */
function expanded(template: string, values: Readonly<Record<string, unknown>>): string {
  return template.replaceAll(/\{([+#./;?&]?)([^}]+)\}/g, (_, how: string, list: string) => {
    const given = list
      .split(',')
      .map((name) => name.replace(/[*:].*$/, ''))
      .filter((name) => values[name] !== undefined && values[name] !== '')
      .map((name) => [name, String(values[name])] as const);
    if (given.length === 0) return '';
    const encode = how === '+' || how === '#' ? encodeURI : encodeURIComponent;
    if (how === '?' || how === '&' || how === ';') {
      const between = how === '?' ? '&' : how;
      return how + given.map(([name, value]) => `${name}=${encode(value)}`).join(between);
    }
    const between = how === '/' || how === '.' ? how : ',';
    const start = how === '+' ? '' : how;
    return start + given.map(([, value]) => encode(value)).join(between);
  });
}
