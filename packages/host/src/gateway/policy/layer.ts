import path from 'node:path';
import {
  isRecord,
  RpcError,
  rpcErrors,
  shellWord,
  traceIdOf,
  type Exchange,
  type Layer,
  type Logger,
  type Serve,
} from 'mcp-kit/internal';
import type { PolicyDecision } from '@mcp-kit/host';
import { finished } from '../edge.ts';
import type { Asker } from './ask.ts';
import { namedIn, subjectOf, type Known, type Named } from './subject.ts';
import type { PlacedRule, Policy, PolicySubject } from './policy.ts';
import { isHiddenFrom } from './view.ts';

/** Something was decided about a request, by a rule. */
export interface Decided {
  readonly server: string;
  readonly kind: PolicySubject['kind'];
  readonly name: string;
  readonly principal?: string | undefined;
  readonly decision: PolicyDecision;
  /** What came of it: `asking` where the client is to come back with an answer. */
  readonly outcome: 'allowed' | 'refused' | 'asking';
  readonly rule: PlacedRule;
  readonly traceId: string;
}

export interface PolicyLayerOptions extends Known {
  /** As it is now. */
  policy(): Policy;
  readonly asker: Asker;
  readonly logger: Logger;
  readonly decided?: ((decided: Decided) => void) | undefined;
}

/** Where in `_meta` programs find what a rule has decided. */
const metaKey = 'mcp-kit/policy';

/** Decides about each request for something of a server, and leaves out of its lists what is never allowed. */
export function governedBy(options: PolicyLayerOptions): Layer {
  return (next) => (exchange) => {
    const { id, method } = exchange.message;
    if (id === undefined || options.policy().rules.length === 0) return next(exchange);
    if (Object.hasOwn(lists, method)) return filtered(options, exchange, next);
    if (method === 'subscriptions/listen') return next(withoutHidden(options, exchange));
    const subject = namedIn(exchange);
    return subject === undefined ? next(exchange) : judged(options, { exchange, next, subject });
  };
}

/** What was asked for is of a server that is hidden from whoever asks: they are answered as if there were none. */
export class HiddenServerError extends Error {
  constructor() {
    super('There is no such server');
    this.name = 'HiddenServerError';
  }
}

interface Judged {
  readonly exchange: Exchange;
  readonly next: Serve;
  readonly subject: Named;
}

async function judged(options: PolicyLayerOptions, judging: Judged): Promise<unknown> {
  const { exchange, next } = judging;
  const subject = subjectOf(options, exchange, judging.subject);
  const { decision, rule } = options.policy().decide(subject);
  if (rule === undefined) return next(exchange);
  const tell = (outcome: Decided['outcome']): void =>
    report(options, { exchange, subject, rule, outcome });
  const { method } = exchange.message;
  if (decision === 'allow' || (decision === 'ask' && unasked.has(method))) {
    tell('allowed');
    return next(exchange);
  }
  if (decision === 'deny' || !askable.has(method)) {
    tell('refused');
    const { server, principal } = subject;
    if (isHiddenFrom(options.policy(), { server, listing: options.listing() }, principal)) {
      throw new HiddenServerError();
    }
    return refused(exchange, subject, {
      decision: 'deny',
      rule,
      because: 'the policy does not allow it',
    });
  }
  const asked = await options.asker.ask(exchange, subject, rule);
  if ('result' in asked) {
    tell('asking');
    return asked.result;
  }
  const { answer, goOn } = asked;
  if (answer === 'once' || answer === 'always') {
    tell('allowed');
    return goOn(next);
  }
  tell('refused');
  const because = answer === undefined ? nobodyAsked : 'the user does not allow it';
  return refused(exchange, subject, { decision: 'ask', rule, because });
}

const nobodyAsked =
  'the user has to allow it and cannot be asked here: the client has no way to ask (elicitation), and nobody is at the terminal of the gateway';

/** Only their results can be questions. */
const askable: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);
/** These do nothing that one would be asked about. */
const unasked: ReadonlySet<string> = new Set([
  'completion/complete',
  'resources/directory/read',
  'resources/unsubscribe',
  'skills/get',
]);

/** The member of each list, what is in it, and by what name. */
const lists: Readonly<
  Record<string, readonly [member: string, kind: PolicySubject['kind'], name: string]>
> = {
  'tools/list': ['tools', 'tool', 'name'],
  'prompts/list': ['prompts', 'prompt', 'name'],
  'resources/list': ['resources', 'resource', 'uri'],
  'resources/templates/list': ['resourceTemplates', 'resource', 'uriTemplate'],
  'skills/list': ['skills', 'resource', 'uri'],
};

async function filtered(
  options: PolicyLayerOptions,
  exchange: Exchange,
  next: Serve,
): Promise<unknown> {
  const result = await next(exchange);
  const [member = '', kind = 'tool', name = ''] = lists[exchange.message.method] ?? [];
  if (!isRecord(result) || !Array.isArray(result[member])) return result;
  const isShown = (item: unknown): boolean => {
    const named = isRecord(item) ? item[name] : undefined;
    if (typeof named !== 'string') return true;
    return !options.policy().hides(subjectOf(options, exchange, { kind, name: named }));
  };
  return { ...result, [member]: result[member].filter(isShown) };
}

/** A subscription without the resources that may not be read, or not without asking. */
function withoutHidden(options: PolicyLayerOptions, exchange: Exchange): Exchange {
  const { params } = exchange.message;
  const filter = params?.['notifications'];
  const uris = isRecord(filter) ? filter['resourceSubscriptions'] : undefined;
  if (!isRecord(filter) || !Array.isArray(uris)) return exchange;
  const kept = uris.filter((uri) => {
    if (typeof uri !== 'string') return true;
    const subject = subjectOf(options, exchange, { kind: 'resource', name: uri });
    return options.policy().decide(subject).decision === 'allow';
  });
  if (kept.length === uris.length) return exchange;
  return exchange.forwarded({
    ...params,
    notifications: { ...filter, resourceSubscriptions: kept },
  });
}

interface Reported {
  readonly exchange: Exchange;
  readonly subject: PolicySubject;
  readonly rule: PlacedRule;
  readonly outcome: Decided['outcome'];
}

function report(
  { logger, decided }: PolicyLayerOptions,
  { exchange, subject, rule, outcome }: Reported,
): void {
  const { server, kind, name, principal } = subject;
  const { decision } = rule;
  const traceId = traceIdOf(exchange);
  decided?.({ server, kind, name, principal, decision, outcome, rule, traceId });
  if (decision === 'allow') return;
  const at = rule.file === undefined ? rule.pointer : `${rule.file}#${rule.pointer}`;
  logger.info(`policy: ${kind} ${name} of ${server} ${outcome}`, {
    decision,
    rule: at,
    principal,
    traceId,
  });
}

interface Refusing {
  readonly decision: PolicyDecision;
  readonly rule: PlacedRule;
  readonly because: string;
}

/** Tells a model as the result of its call, programs as an error. */
function refused(
  exchange: Exchange,
  subject: PolicySubject,
  { decision, rule, because }: Refusing,
): object {
  const { server, kind, name } = subject;
  // Where the file is, is nobody's business.
  const place =
    rule.file === undefined ? rule.pointer : `${path.basename(rule.file)}#${rule.pointer}`;
  const reason = rule.reason === undefined ? '' : ` (${rule.reason})`;
  const why = `mcpctl policy why ${shellWord(server)} ${shellWord(name)}`;
  const text = `The ${kind} ${name} of ${server} was not used: ${because}${reason}. Do not look for a way around it; tell the user. The rule is ${place}, and explained by: ${why}`;
  const told = { decision, server, [kind]: name, rule: place };
  if (exchange.message.method !== 'tools/call')
    throw new RpcError(rpcErrors.invalidRequest, text, told);
  const result = { content: [{ type: 'text', text }], isError: true };
  return finished(exchange, result, { [metaKey]: told });
}
