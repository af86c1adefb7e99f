import type { MaybePromise } from '#base';
import type { Params } from '#jsonrpc';
import type {
  ClientCapabilities,
  ElicitResult,
  JsonSchema,
  Meta,
  RootsResult,
  SamplingResult,
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
  readonly roots?: Roots | ((context: InputContext) => MaybePromise<Roots>) | undefined;
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
