import { ask } from '../api.ts';
import { createStore } from '../store.ts';

/** A JSON Schema, as far as forms read it. */
export interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly oneOf?: readonly Schema[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly examples?: readonly unknown[];
}

/** Something that can be tried. */
export interface Offer {
  readonly kind: 'tool' | 'prompt' | 'resource' | 'template';
  readonly name: string;
  readonly title?: string;
  readonly description?: string;
  readonly schema: Schema;
  readonly hints: Readonly<Record<string, unknown>>;
}

export interface Offers {
  readonly tools: readonly Offer[];
  readonly others: readonly Offer[];
  readonly isKnown: boolean;
}

/** What the gateway has, as hosts see it. */
export const offers = createStore<Offers>({ tools: [], others: [], isKnown: false });

type Fields = Readonly<Record<string, unknown>>;

/** Asks the gateway what there is. */
export async function readOffers(): Promise<void> {
  const [tools, prompts, resources, templates] = await Promise.all([
    listOf('tools/list', 'tools'),
    listOf('prompts/list', 'prompts'),
    listOf('resources/list', 'resources'),
    listOf('resources/templates/list', 'resourceTemplates'),
  ]);
  offers.set({
    tools: tools.map((tool) => offerOf('tool', tool, Object(tool['inputSchema']) as Schema)),
    others: [
      ...prompts.map((prompt) => offerOf('prompt', prompt, schemaOf(prompt['arguments']))),
      ...resources.map((resource) =>
        offerOf('resource', { ...resource, name: resource['uri'] }, {}),
      ),
      ...templates.map((template) => {
        const uri = String(template['uriTemplate']);
        return offerOf('template', { ...template, name: uri }, variablesOf(uri));
      }),
    ],
    isKnown: true,
  });
}

const mostPages = 50;

async function listOf(method: string, member: string): Promise<readonly Fields[]> {
  const found: Fields[] = [];
  let cursor: unknown;
  for (let page = 0; page < mostPages; page += 1) {
    const params = cursor === undefined ? {} : { cursor };
    const { result } = await ask<{ readonly result?: Fields }>('ask', {
      name: method,
      method,
      params,
    });
    const items = result?.[member];
    if (Array.isArray(items)) found.push(...(items as Fields[]));
    cursor = result?.['nextCursor'];
    if (cursor === undefined) break;
  }
  return found;
}

function offerOf(kind: Offer['kind'], item: Fields, schema: Schema): Offer {
  const { name, title, description, annotations } = item;
  return {
    kind,
    name: String(name),
    title: typeof title === 'string' ? title : '',
    description: typeof description === 'string' ? description : '',
    schema,
    hints: Object(annotations) as Fields,
  };
}

/** The arguments of a prompt are texts. */
function schemaOf(given: unknown): Schema {
  const list = Array.isArray(given) ? (given as Fields[]) : [];
  const properties = list.map(({ name, description = '' }) => {
    return [String(name), { type: 'string', description: String(description) }] as const;
  });
  const required = list.filter(({ required: is }) => is === true).map(({ name }) => String(name));
  return { type: 'object', properties: Object.fromEntries(properties), required };
}

function variablesOf(uri: string): Schema {
  const names = [...uri.matchAll(/\{[+#./;?&]?([^}]+)\}/g)].flatMap(([, list = '']) =>
    list.split(','),
  );
  const properties = names.map(
    (name) => [name.replace(/[*:].*$/, ''), { type: 'string' }] as const,
  );
  return { type: 'object', properties: Object.fromEntries(properties) };
}
