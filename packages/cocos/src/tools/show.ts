// What people and models read of an answer: a summary in lines, with every name that another call takes.

/** So many characters of a value are shown; whoever wants more reads the value itself. */
const longest = 200;

/** Lines of a text; what is undefined, or nothing, is left out. */
export function lines(...parts: readonly (string | readonly string[] | undefined)[]): string {
  return parts
    .flat()
    .filter((part) => part !== undefined && part !== '')
    .join('\n');
}

/** How many of something: `1 node`, `3 nodes`. */
export function howMany(count: number, what: string): string {
  return `${count} ${what}${count === 1 ? '' : /[sx]$/.test(what) ? 'es' : 's'}`;
}

/** Where a list goes on. */
export function goesOn(page: {
  readonly total: number;
  readonly nextOffset?: number | undefined;
}): string | undefined {
  const { total, nextOffset } = page;
  return nextOffset === undefined
    ? undefined
    : `… of ${total}; the next with offset: ${nextOffset}`;
}

interface NodeShown {
  readonly nodeUuid: string;
  readonly path: string;
  readonly active: boolean;
  readonly components: readonly string[];
  readonly prefab?: string | undefined;
}

/** `Canvas/Menu (48+d2FG7…) [UITransform Label] <prefab> inactive`. */
export function nodeLine({ nodeUuid, path, active, components, prefab }: NodeShown): string {
  const parts = [path || '/', `(${nodeUuid})`];
  if (components.length > 0) parts.push(`[${components.map(shortClass).join(' ')}]`);
  if (prefab !== undefined) parts.push(`<${prefab}>`);
  if (!active) parts.push('inactive');
  return parts.join(' ');
}

/** The name of a class without that of the engine. */
function shortClass(type: string): string {
  return type.replace(/^cc\./, '');
}

interface ComponentShown {
  readonly componentUuid: string;
  readonly type: string;
  readonly enabled: boolean;
  readonly properties?: object | undefined;
}

/** A component, and a line for each of its properties. */
export function componentLines(component: ComponentShown): string[] {
  const { componentUuid, type, enabled, properties = {} } = component;
  return [
    `${type} (${componentUuid})${enabled ? '' : ' disabled'}`,
    ...Object.entries(properties).map(([name, value]) => `  ${name}: ${valueText(value)}`),
  ];
}

/** A value in one line: a text in quotes, parts by name. */
export function valueText(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing';
  return text.length <= longest ? text : `${text.slice(0, longest)}…`;
}

interface FindingShown {
  readonly code: string;
  readonly severity: string;
  readonly message: string;
  readonly path?: string | undefined;
  readonly line?: number | undefined;
  readonly fixable: boolean;
}

/** `error missingAsset Canvas/Menu: …; fixable`. */
export function findingLine(finding: FindingShown): string {
  const { code, severity, message, path, line, fixable } = finding;
  const where = path ?? (line === undefined ? '' : `line ${line}`);
  const place = where === '' ? '' : ` ${where}`;
  return `${severity} ${code}${place}: ${message}${fixable ? ' (fixable)' : ''}`;
}

/** `2 errors, 1 warning`; that there is nothing is said as well. */
export function countsText(counts: {
  readonly error: number;
  readonly warning: number;
  readonly info: number;
}): string {
  const told = (['error', 'warning', 'info'] as const)
    .filter((severity) => counts[severity] > 0)
    .map((severity) => howMany(counts[severity], severity === 'info' ? 'note' : severity));
  return told.length === 0 ? 'no findings' : told.join(', ');
}

/** What is said of a file that no editor has seen. */
export const notImported = 'not imported yet, an edit that names it does that';

interface AssetShown {
  readonly assetUuid?: string | undefined;
  readonly assetPath?: string | undefined;
  readonly url: string;
  readonly type: string;
  readonly exists?: boolean | undefined;
  readonly subAssets?:
    | readonly { readonly assetUuid: string; readonly name: string; readonly type: string }[]
    | undefined;
}

/** `assets/ui/logo.png cc.ImageAsset (uuid)`, and a line for each of its parts. */
export function assetLines({
  assetUuid,
  assetPath,
  url,
  type,
  exists,
  subAssets = [],
}: AssetShown): string[] {
  const identity = assetUuid === undefined ? `: ${notImported}` : ` (${assetUuid})`;
  return [
    `${assetPath ?? url} ${type}${identity}${exists === false ? ', which is missing' : ''}`,
    ...subAssets.map((part) => `  ${part.name} ${part.type} (${part.assetUuid})`),
  ];
}

/** Numbers side by side: `0 -40 0`. */
export function numbers(value: Readonly<Record<string, unknown>>): string {
  return Object.values(value).map(String).join(' ');
}
