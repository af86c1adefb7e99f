import { isRecord } from '#jsonrpc';
import type { Manifest } from './manifest.ts';

/** A tool in one line: what to choose it by. */
export function manifestLine({
  name,
  layer,
  safety,
  description,
}: Pick<Manifest, 'name' | 'layer' | 'safety' | 'description'>): string {
  return `${name} (${layer}, ${safety}): ${description}`;
}

/** A tool as people and models read it: what it takes, what it can fail for, and calls to learn from. */
export function manifestText(manifest: Manifest): string {
  const { inputSchema, errors = [], examples } = manifest;
  const { properties, required } = inputSchema;
  const needed: readonly unknown[] = Array.isArray(required) ? required : [];
  const taken = Object.entries(isRecord(properties) ? properties : {}).map(([name, schema]) =>
    argumentLine(name, schema, needed.includes(name)),
  );
  return [
    manifestLine(manifest),
    ...group('Arguments', taken),
    ...group(
      'Failures',
      errors.map(({ code, when }) => `${code}: ${when}`),
    ),
    ...group(
      'Examples',
      examples.map(({ title, input, fails }) => {
        const about = [title, fails].filter((each) => each !== undefined).join(', ');
        return `${JSON.stringify(input)}${about === '' ? '' : ` ${about}`}`;
      }),
    ),
  ].join('\n');
}

function group(title: string, lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : [`${title}:`, ...lines.map((line) => `  ${line}`)];
}

/** `scenePath: string, required. The scene or prefab.` */
function argumentLine(name: string, schema: unknown, isRequired: boolean): string {
  const { type, enum: values, description } = isRecord(schema) ? schema : {};
  const kind = Array.isArray(values)
    ? values.join(' | ')
    : [type ?? 'any'].flat().map(String).join(' | ');
  const about = typeof description === 'string' ? ` ${description}` : '';
  return `${name}: ${kind}${isRequired ? ', required' : ''}.${about}`;
}
