import {
  invalidParams,
  isRecord,
  resourceNotFound,
  type Layer,
  type Params,
} from 'mcp-kit/internal';
import type { Presentation } from './presentation.ts';

/** Before a server by itself: what clients see of it, and may ask, is what is presented now. */
export function presented(current: () => Presentation): Layer {
  return (next) => async (exchange) => {
    const as = current();
    const { method, params = {} } = exchange.message;
    if (as.isPlain) return next(exchange);
    const asked = Object.hasOwn(asking, method) ? asking[method]?.(params, as) : undefined;
    const result = await next(asked === undefined ? exchange : exchange.forwarded(asked));
    const shown = Object.hasOwn(showing, method) ? showing[method] : undefined;
    return shown !== undefined && isRecord(result) ? shown(result, as) : result;
  };
}

/** Parameters as the server knows them; refused where they are about what is not shown. */
const asking: Readonly<Record<string, (params: Params, as: Presentation) => Params>> = {
  'tools/call': (params, as) => ({ ...params, name: ownName('tool', params['name'], as) }),
  'prompts/get': (params, as) => ({ ...params, name: ownName('prompt', params['name'], as) }),
  'resources/read': visibleUri,
  'resources/subscribe': visibleUri,
  'resources/directory/read': visibleUri,
  'skills/get': visibleUri,
  'completion/complete': (params, as) => {
    const { ref } = params;
    if (!isRecord(ref)) return params;
    if (ref['type'] !== 'ref/prompt') {
      visibleUri(ref, as);
      return params;
    }
    return { ...params, ref: { ...ref, name: ownName('prompt', ref['name'], as) } };
  },
  'subscriptions/listen': (params, as) => {
    const { notifications } = params;
    const uris = isRecord(notifications) ? notifications['resourceSubscriptions'] : undefined;
    if (!isRecord(notifications) || !Array.isArray(uris)) return params;
    const resourceSubscriptions = uris.filter((uri) => !isHidden(uri, as));
    return { ...params, notifications: { ...notifications, resourceSubscriptions } };
  },
};

/** Results as clients are to have them. */
const showing: Readonly<Record<string, (result: Params, as: Presentation) => Params>> = {
  'tools/list': (result, as) => named(result, 'tools', (one) => as.show('tool', one)),
  'prompts/list': (result, as) => named(result, 'prompts', (one) => as.show('prompt', one)),
  'resources/list': (result, as) => withoutHidden(result, as, ['resources', 'uri']),
  'resources/templates/list': (result, as) =>
    withoutHidden(result, as, ['resourceTemplates', 'uriTemplate']),
  'skills/list': (result, as) => withoutHidden(result, as, ['skills', 'uri']),
  initialize: described,
  'server/discover': described,
};

function ownName(kind: 'tool' | 'prompt', name: unknown, as: Presentation): unknown {
  if (typeof name !== 'string') return name;
  const own = as.own(kind, name);
  if (own === undefined) throw invalidParams(`Unknown ${kind}: ${name}`);
  return own;
}

function visibleUri(params: Params, as: Presentation): Params {
  const { uri } = params;
  if (isHidden(uri, as)) throw resourceNotFound(String(uri));
  return params;
}

function isHidden(uri: unknown, as: Presentation): boolean {
  return typeof uri === 'string' && as.hidesUri(uri);
}

type Named = Params & { readonly name: string };

function named(result: Params, member: string, show: (one: Named) => unknown): Params {
  const list = result[member];
  if (!Array.isArray(list)) return result;
  const isNamed = (one: unknown): one is Named => isRecord(one) && typeof one['name'] === 'string';
  const shown = list.flatMap((one: unknown) => (isNamed(one) ? (show(one) ?? []) : [one]));
  return { ...result, [member]: shown };
}

function withoutHidden(
  result: Params,
  as: Presentation,
  [member, key]: readonly [member: string, key: string],
): Params {
  const list = result[member];
  if (!Array.isArray(list)) return result;
  const seen = list.filter((one: unknown) => !isRecord(one) || !isHidden(one[key], as));
  return { ...result, [member]: seen };
}

function described(result: Params, { description }: Presentation): Params {
  return description === undefined ? result : { ...result, instructions: description };
}
