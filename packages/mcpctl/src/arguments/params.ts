import type { Params } from 'mcp-kit/jsonrpc';
import type { Options, OptionValues } from '../args.ts';
import { readJsonObject } from './json-input.ts';

/** How `request` and `notify` are given parameters. */
export const paramsOptions = {
  params: {
    type: 'string',
    value: 'JSON',
    help: 'Parameters as a JSON object; - reads standard input.',
  },
  'params-json': { type: 'string', value: 'JSON', help: 'The same as --params.' },
} as const satisfies Options;

/** The parameters that are given, or none. */
export function readParams(
  values: OptionValues<typeof paramsOptions>,
  stop: AbortSignal,
): Promise<Params | undefined> {
  const names = ['params', 'params-json'] as const;
  return readJsonObject(
    names.flatMap((name) => {
      const value = values[name];
      return value === undefined ? [] : [{ option: `--${name}`, kind: 'text' as const, value }];
    }),
    stop,
  );
}
