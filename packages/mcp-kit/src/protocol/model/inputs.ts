import { isRecord } from '#jsonrpc';
import type { ClientCapabilities, ContentBlock, JsonSchema, Meta } from './types.ts';

/** Something only the client or its user can give: embedded in a result, or sent as a request, as the era demands. */
export interface InputRequest<Answer = unknown> {
  readonly method: 'elicitation/create' | 'sampling/createMessage' | 'roots/list';
  readonly params: Readonly<Record<string, unknown>>;
  /** What the client must have declared. */
  readonly needs: ClientCapabilities;
  /** Never present: carries the type of the answer. */
  readonly answer?: Answer;
}

/** What the user has answered to a form or a visit. */
export interface ElicitResult<Content = Readonly<Record<string, unknown>>> {
  readonly action: 'accept' | 'decline' | 'cancel';
  readonly content?: Content;
}

/** What the model of the client has said. */
export interface SamplingResult {
  readonly role: 'user' | 'assistant';
  readonly content: ContentBlock | readonly ContentBlock[];
  readonly model: string;
  readonly stopReason?: string;
}

/** The folders that the client works in. */
export interface RootsResult {
  readonly roots: readonly {
    readonly uri: string;
    readonly name?: string;
    readonly _meta?: Meta;
  }[];
}

/** Asks the user to fill in a flat form. Never for secrets: those need `elicitUrl`. */
export function elicit(form: {
  readonly message: string;
  readonly requestedSchema: JsonSchema;
}): InputRequest<ElicitResult> {
  return {
    method: 'elicitation/create',
    params: { mode: 'form', ...form },
    needs: { elicitation: { form: {} } },
  };
}

/** Asks the user to do something at a web address; `accept` only means that they agreed to open it. */
export function elicitUrl(visit: {
  readonly message: string;
  readonly url: string;
}): InputRequest<ElicitResult> {
  return {
    method: 'elicitation/create',
    params: { mode: 'url', ...visit },
    needs: { elicitation: { url: {} } },
  };
}

/** Asks the client's model. */
export function sample(
  params: { readonly messages: readonly unknown[]; readonly maxTokens: number } & Meta,
): InputRequest<SamplingResult> {
  const tools = params['tools'] !== undefined || params['toolChoice'] !== undefined;
  return {
    method: 'sampling/createMessage',
    params,
    needs: { sampling: tools ? { tools: {} } : {} },
  };
}

/** Asks which directories the client works in. */
export function listRoots(): InputRequest<RootsResult> {
  return { method: 'roots/list', params: {}, needs: { roots: {} } };
}

/** Whether a value has the shape of an answer to this request. */
export function isAnswer(request: InputRequest, value: unknown): boolean {
  if (!isRecord(value)) return false;
  switch (request.method) {
    case 'elicitation/create': {
      const { action, content } = value;
      if (action === 'decline' || action === 'cancel') return true;
      if (action !== 'accept') return false;
      return request.params['mode'] === 'url' || isFilledIn(request.params, content);
    }
    case 'sampling/createMessage':
      return isRecord(value['content']) || Array.isArray(value['content']);
    case 'roots/list':
      return Array.isArray(value['roots']);
  }
}

/** The flat form schema needs no validator: required fields are there, and each has its declared type. */
function isFilledIn(params: InputRequest['params'], content: unknown): boolean {
  if (!isRecord(content)) return false;
  const schema = params['requestedSchema'];
  if (!isRecord(schema)) return true;
  const { required, properties } = schema;
  if (Array.isArray(required) && !required.every((name) => Object.hasOwn(content, String(name)))) {
    return false;
  }
  if (!isRecord(properties)) return true;
  return Object.entries(content).every(([name, value]) => {
    const property = properties[name];
    return !isRecord(property) || hasType(value, property['type']);
  });
}

function hasType(value: unknown, type: unknown): boolean {
  switch (type) {
    case 'string':
    case 'boolean':
    case 'number':
      return typeof value === type;
    case 'integer':
      return Number.isInteger(value);
    case 'array':
      return Array.isArray(value);
    default:
      return true;
  }
}
