import { KitError } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import {
  invalidParams,
  isAnswer,
  methodNotFound,
  type ElicitResult,
  type InputRequest,
} from '#protocol';
import type {
  ElicitForm,
  ElicitVisit,
  InputContext,
  InputHandlers,
  Offer,
  SamplingRequest,
} from './inputs.ts';

/** Whether there is a handler for such a request. */
export function answersInput({ handlers }: Offer, method: string): boolean {
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
export async function answerInput(
  { handlers, capabilities }: Offer,
  { method, params = {} }: { readonly method: string; readonly params?: Params | undefined },
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
