import { KitError, type MaybePromise } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import {
  invalidParams,
  isAnswer,
  methodNotFound,
  type ClientCapabilities,
  type ElicitResult,
  type InputRequest,
  type JsonSchema,
  type Meta,
  type RootsResult,
  type SamplingResult,
} from '#protocol';

/** A form the server wants filled in. */
export interface ElicitForm extends Meta {
  readonly message: string;
  readonly requestedSchema: JsonSchema;
}

/** A page the server wants its user to visit. */
export interface ElicitVisit extends Meta {
  readonly message: string;
  readonly url: string;
}

/** A question for the client's model. */
export interface SamplingRequest extends Meta {
  readonly messages: readonly unknown[];
  readonly maxTokens: number;
}

export type Roots = RootsResult['roots'];

export interface InputContext {
  /** Fires when the answer is no longer wanted. */
  readonly signal: AbortSignal;
}

/** What only this side can give. Whatever is here is declared to the server, in either era. */
export interface InputHandlers {
  /** Fills in a form; what an accepted one leaves out gets the default of its schema. */
  elicit?(form: ElicitForm, context: InputContext): MaybePromise<ElicitResult>;
  /** Sends the user to a page; `accept` says that they agreed to go there. */
  elicitUrl?(visit: ElicitVisit, context: InputContext): MaybePromise<ElicitResult>;
  /** Asks the model. */
  sample?(params: SamplingRequest, context: InputContext): MaybePromise<SamplingResult>;
  /** The directories this side works in. */
  readonly roots?: Roots | ((context: InputContext) => MaybePromise<Roots>);
}

/** Answers a request of a server that nothing else answers; `undefined` says that it is not known here either. */
export type RequestListener = (
  request: { readonly method: string; readonly params?: Params },
  context: InputContext,
) => MaybePromise<unknown>;

/** What a server may ask for: who answers, and what it was told about that. */
export interface Offer {
  readonly handlers: InputHandlers;
  readonly capabilities: ClientCapabilities;
  /** Answers what `handlers` do not. */
  readonly onRequest?: RequestListener | undefined;
}

/** What these handlers can do, as the server is told, beside what else the client can do. */
export function capabilitiesOf(
  inputs: InputHandlers,
  others: ClientCapabilities = {},
): ClientCapabilities {
  const { elicit, elicitUrl, sample, roots } = inputs;
  const elicitation = { ...(elicit && { form: {} }), ...(elicitUrl && { url: {} }) };
  const offers = elicit !== undefined || elicitUrl !== undefined;
  return {
    ...others,
    ...(offers && { elicitation: { ...elicitation, ...others.elicitation } }),
    ...(sample && { sampling: { ...others.sampling } }),
    ...(roots && { roots: { ...others.roots } }),
  };
}

/** Whether there is a handler for such a request. */
function answersInput({ handlers }: Offer, method: string): boolean {
  switch (method) {
    case 'elicitation/create':
      return handlers.elicit !== undefined || handlers.elicitUrl !== undefined;
    case 'sampling/createMessage':
      return handlers.sample !== undefined;
    case 'roots/list':
      return handlers.roots !== undefined;
    default:
      return false;
  }
}

/** Answers what a server asks; throws an `RpcError` for what cannot be answered. */
export async function answerAny(
  offer: Offer,
  { method, params }: { readonly method: string; readonly params?: Params },
  context: InputContext,
): Promise<unknown> {
  const request = { method, ...(params && { params }) };
  if (answersInput(offer, method)) return answerInput(offer, request, context);
  const result = await offer.onRequest?.(request, context);
  if (result === undefined) throw methodNotFound(method);
  return result;
}

async function answerInput(
  { handlers, capabilities }: Offer,
  { method, params = {} }: { readonly method: string; readonly params?: Params },
  context: InputContext,
): Promise<unknown> {
  switch (method) {
    case 'elicitation/create':
      return checked({ method, params, needs: {} }, await elicited(handlers, params, context));
    case 'sampling/createMessage':
      if (handlers.sample === undefined) throw methodNotFound(method);
      if (usesTools(params) && capabilities.sampling?.['tools'] === undefined) {
        throw invalidParams('The model of this client does not use tools');
      }
      return checked(
        { method, params, needs: {} },
        await handlers.sample(params as SamplingRequest, context),
      );
    case 'roots/list': {
      const { roots } = handlers;
      if (roots === undefined) throw methodNotFound(method);
      const list = typeof roots === 'function' ? await roots(context) : roots;
      return checked({ method, params, needs: {} }, { roots: list });
    }
    default:
      throw methodNotFound(method);
  }
}

function usesTools(params: Params): boolean {
  return params['tools'] !== undefined || params['toolChoice'] !== undefined;
}

async function elicited(
  { elicit, elicitUrl }: InputHandlers,
  params: Params,
  context: InputContext,
): Promise<ElicitResult> {
  if (elicit === undefined && elicitUrl === undefined) throw methodNotFound('elicitation/create');
  if (params['mode'] === 'url') {
    if (elicitUrl === undefined) throw invalidParams('This client does not visit pages');
    return elicitUrl(params as unknown as ElicitVisit, context);
  }
  if (elicit === undefined) throw invalidParams('This client does not fill in forms');
  const form = params as unknown as ElicitForm;
  const answer = await elicit(form, context);
  if (answer.action !== 'accept') return answer;
  return { ...answer, content: { ...defaultsOf(form.requestedSchema), ...answer.content } };
}

function defaultsOf(schema: unknown): Record<string, unknown> {
  const properties = isRecord(schema) ? schema['properties'] : undefined;
  if (!isRecord(properties)) return {};
  return Object.fromEntries(
    Object.entries(properties).flatMap(([name, property]) =>
      isRecord(property) && property['default'] !== undefined ? [[name, property['default']]] : [],
    ),
  );
}

function checked(request: InputRequest, answer: unknown): unknown {
  if (isAnswer(request, answer)) return answer;
  throw new KitError('invalid_argument', `${request.method}: the handler's answer does not fit`, {
    hint: 'An accepted form needs every required field, each of its declared type.',
  });
}
