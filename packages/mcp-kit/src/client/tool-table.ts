import { describeError, KitError, type Logger } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import {
  headerBindings,
  mirrorHeaders,
  type CallToolResult,
  type HeaderBinding,
  type JsonSchema,
  type Tool,
} from '#protocol';
import { foreignSchema, type ForeignVerdict, type Issue } from '#schema';
import { isTool } from './layer.ts';
import { weightOf } from './pages.ts';

interface KnownTool {
  readonly weight: number;
  readonly bindings: readonly HeaderBinding[];
  readonly outputSchema: JsonSchema | undefined;
  /** What a server of 2025-11-25 says of calling it as a task. */
  readonly taskSupport: unknown;
  /** Made before the first call: most tools of a list are never called. */
  output?: ((value: unknown) => ForeignVerdict) | 'unusable' | undefined;
}

/** What is remembered of all tools together, in characters and parts; a server may list as many as it likes. */
const maxWeight = 8 * 1024 * 1024;

/** What is known of a server's tools from the lists it gave: which headers repeat arguments, and what results look like. */
export class ToolTable {
  readonly #logger: Logger;
  readonly #known = new Map<string, KnownTool>();
  #weight = 0;

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /**
   * Learns from a page of a list, and returns those of its tools that can be called. `mirrored`: arguments travel in
   * headers as well, so a tool whose annotations are wrong cannot be called.
   */
  learn(tools: readonly Tool[], mirrored: boolean): readonly Tool[] {
    return tools.filter((tool: unknown): tool is Tool => {
      if (!isTool(tool)) {
        this.#logger.warn('a tool without a name is left out');
        return false;
      }
      try {
        const bindings = mirrored ? headerBindings(tool.inputSchema) : [];
        // One that is none promises nothing.
        const outputSchema = isRecord(tool.outputSchema) ? tool.outputSchema : undefined;
        const taskSupport = tool.execution?.taskSupport;
        this.#remember(tool.name, { bindings, outputSchema, taskSupport });
        return true;
      } catch (error) {
        this.#logger.warn(`tool ${tool.name} is left out: ${messageOf(error)}`);
        return false;
      }
    });
  }

  #remember(name: string, known: Omit<KnownTool, 'weight'>): void {
    const weight = name.length + weightOf(known);
    this.#weight += weight - (this.#known.get(name)?.weight ?? 0);
    this.#known.delete(name);
    this.#known.set(name, { ...known, weight });
    for (const [oldest, { weight: freed }] of this.#known) {
      if (this.#weight <= maxWeight) return;
      this.#known.delete(oldest);
      this.#weight -= freed;
    }
  }

  knows(name: string): boolean {
    return this.#known.has(name);
  }

  /** What a server of 2025-11-25 says of calling a tool as a task. */
  taskSupport(name: string): unknown {
    return this.#known.get(name)?.taskSupport;
  }

  clear(): void {
    this.#known.clear();
    this.#weight = 0;
  }

  /** The headers that must repeat these arguments. */
  headersFor(name: unknown, args: unknown): Readonly<Record<string, string>> | undefined {
    const bindings = typeof name === 'string' ? this.#known.get(name)?.bindings : undefined;
    if (bindings === undefined || bindings.length === 0) return undefined;
    return mirrorHeaders(args, bindings);
  }

  /** Makes the check of a tool's results ready, and says before it is called when there can be none. */
  prepare(name: string): void {
    const known = this.#known.get(name);
    if (known?.outputSchema === undefined || known.output !== undefined) return;
    try {
      known.output = foreignSchema(known.outputSchema, `output of ${name}`);
    } catch (error) {
      // The server's fault, and no reason not to call the tool.
      this.#logger.warn(`results of tool ${name} are not checked: ${messageOf(error)}`);
      known.output = 'unusable';
    }
  }

  /** Throws unless a result has the shape its tool promised, where that is known. */
  check(name: string, result: CallToolResult): void {
    this.prepare(name);
    const check = this.#known.get(name)?.output;
    if (check === undefined || check === 'unusable' || result.isError === true) return;
    const { structuredContent } = result;
    if (structuredContent === undefined) throw broken(name, 'it has no structured content');
    const { issues, unchecked } = check(structuredContent);
    if (unchecked !== undefined) {
      this.#logger.warn(`a result of tool ${name} is not checked: ${unchecked}`);
    }
    if (issues.length === 0) return;
    throw broken(name, issues.map(({ message }) => message).join('; '));
  }
}

function broken(name: string, what: string): KitError {
  return new KitError('invalid_answer', `${name}: the result breaks its output schema: ${what}`, {
    hint: 'Report it to the author of the server, or open the session with validateOutput: false.',
  });
}

function messageOf(error: unknown): string {
  return error instanceof KitError ? error.message : describeError(error);
}

/**
 * What is wrong with arguments by the schema of their tool; empty when they fit. Patterns are not run. Throws a `KitError`
 * when the schema cannot be used, or would take too long.
 */
export function checkArguments(tool: Tool, args: Params): readonly Issue[] {
  const subject = `input of ${tool.name}`;
  // Arguments are an object, also where a server does not say so.
  const { issues, unchecked } = foreignSchema(
    { ...tool.inputSchema, type: 'object' },
    subject,
  )(args);
  if (unchecked !== undefined) throw new KitError('invalid_argument', `${subject}: ${unchecked}`);
  return issues;
}
