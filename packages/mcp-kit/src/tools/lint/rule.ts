import { isRecord } from '#jsonrpc';
import type { JsonSchema } from '#protocol';
import type { Manifest } from '../manifest/manifest.ts';

/** A tool as the linter looks at it: a manifest, or as much of one as a list of tools tells. */
export type LintedTool = Pick<Manifest, 'name' | 'inputSchema'> &
  Partial<Manifest> & {
    /** How it goes together with an app, as it is listed. */
    readonly app?: LintedApp | undefined;
  };

/** What a tool says of its app, and what was read there: nothing where nobody has looked, `null` where there is no page. */
export interface LintedApp {
  readonly resourceUri?: unknown;
  readonly visibility?: unknown;
  readonly page?: object | null | undefined;
}

/** What a rule has to say about a tool. */
export interface Remark {
  readonly message: string;
  /** What to do about it. */
  readonly hint?: string | undefined;
  /** Which argument it is about. */
  readonly path?: string | undefined;
}

/** What rules may be told. */
export interface RuleSettings {
  /** Names that every tool gives the same thing, by the names that must not be used for it. */
  readonly parameterNames: Readonly<Record<string, string>>;
  /** Arguments that are points or directions. */
  readonly coordinates: readonly string[];
  readonly maxCoreTools: number;
}

interface RuleHead {
  readonly level: 'error' | 'warning';
  /** One sentence: what must be so. */
  readonly demand: string;
  /** Only for tools that tell their traits: servers of others do not. */
  readonly governed?: true | undefined;
  /** What breaks it fails with other clients or harms them; the other rules are the style of this house. */
  readonly protocol?: true | undefined;
}

/** A rule about each tool by itself. */
interface ToolRule extends RuleHead {
  check(tool: LintedTool, settings: RuleSettings): readonly Remark[];
}

/** A rule about the tools of a set together. */
interface SetRule extends RuleHead {
  checkSet(
    tools: readonly LintedTool[],
    settings: RuleSettings,
  ): readonly (Remark & { readonly tool: string })[];
}

export type Rule = ToolRule | SetRule;

/** A property of an input schema, with the names on the way to it. */
export interface Property {
  readonly name: string;
  readonly path: string;
  readonly schema: JsonSchema;
}

const maxDepth = 6;

/** All properties of a schema, also within objects and lists. */
export function propertiesIn(schema: unknown, path = '', depth = 0): readonly Property[] {
  if (!isRecord(schema) || depth > maxDepth) return [];
  const { properties, items } = schema;
  const inner = Object.entries(isRecord(properties) ? properties : {}).flatMap(([name, each]) => {
    const at = path === '' ? name : `${path}.${name}`;
    const own = isRecord(each) ? [{ name, path: at, schema: each }] : [];
    return [...own, ...propertiesIn(each, at, depth + 1)];
  });
  return [...inner, ...propertiesIn(items, `${path}[]`, depth + 1)];
}
