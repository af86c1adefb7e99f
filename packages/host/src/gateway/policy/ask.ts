import {
  clientOf,
  conversationOf,
  elicit,
  isRecord,
  supports,
  withoutSecrets,
  type Conversation,
  type Era,
  type Exchange,
  type InputRequest,
  type MaybePromise,
} from 'mcp-kit/internal';
import type { PlacedRule, PolicySubject } from './policy.ts';
import { createRounds, type GoOn } from './rounds.ts';

/** What a person is asked. */
export interface PolicyQuestion {
  readonly server: string;
  readonly kind: PolicySubject['kind'];
  readonly name: string;
  readonly effect?: PolicySubject['effect'];
  /** Without secrets, and not more than a person reads. */
  readonly arguments?: string | undefined;
  readonly rule: PlacedRule;
  /** Whether there is a conversation for which the answer can be kept. */
  readonly mayRemember: boolean;
}

/** `always`: for as long as the conversation lasts, for what the same rule asks about the same tool. */
export type PolicyAnswer = 'once' | 'always' | 'no';

/** Asks somebody else than the client, as on a terminal; nothing where nobody is there. */
export type AskPerson = (
  question: PolicyQuestion,
  signal: AbortSignal,
) => Promise<PolicyAnswer | undefined> | undefined;

/** What came of a question: a result that asks the client, or the answer; nothing where nobody could be asked. */
type Asked =
  | { readonly result: object }
  | { readonly answer: PolicyAnswer | undefined; readonly goOn: GoOn };

/** Asks the user whether something may be done: by the client that wants it, in the way of its era, or else by somebody at hand. */
export interface Asker {
  ask(exchange: Exchange, subject: PolicySubject, rule: PlacedRule): Promise<Asked>;
}

const personMs = 10 * 60_000;
const maxShown = 1000;

export function createAsker(person: AskPerson | undefined): Asker {
  const rounds = createRounds('mcp-kit/policy');
  const remembered = new WeakMap<Conversation, Set<string>>();
  const remember = (conversation: Conversation, what: string): void => {
    const known = remembered.get(conversation) ?? new Set();
    if (!remembered.has(conversation)) conversation.onEnded(() => remembered.delete(conversation));
    remembered.set(conversation, known.add(what));
  };
  const byEra: Readonly<
    Record<Era, (exchange: Exchange, about: string, form: InputRequest) => MaybePromise<Asked>>
  > = {
    async legacy(exchange, _about, { method, params }) {
      const limits = { timeoutMs: personMs, maxTotalMs: personMs };
      const response = await exchange.call(method, params, limits);
      return { answer: answerIn(response), goOn: async (next) => next(exchange) };
    },
    modern(exchange, about, form) {
      const round = rounds.ask(exchange, about, form);
      if ('result' in round) return round;
      return { answer: answerIn(round.response), goOn: round.goOn };
    },
  };
  return {
    async ask(exchange, subject, rule) {
      const { server, kind, name } = subject;
      const about = JSON.stringify([rule.file, rule.pointer, server, kind, name]);
      const conversation = conversationOf(exchange);
      const goOn = rounds.resume(exchange, about);
      if (conversation !== undefined && remembered.get(conversation)?.has(about) === true) {
        return { answer: 'always', goOn };
      }
      const question = questionOf(subject, rule, conversation !== undefined);
      const form = elicit(formOf(question));
      const { era, capabilities } = clientOf(exchange);
      const asked = supports(capabilities, form.needs)
        ? await byEra[era](exchange, about, form)
        : { answer: await person?.(question, exchange.signal), goOn };
      const isKept = 'answer' in asked && asked.answer === 'always';
      if (isKept && conversation !== undefined) remember(conversation, about);
      return asked;
    },
  };
}

/** The form has nothing that must be filled in. */
function answerIn(response: unknown): PolicyAnswer {
  if (!isRecord(response) || response['action'] !== 'accept') return 'no';
  const { content } = response;
  return isRecord(content) && content['remember'] === true ? 'always' : 'once';
}

function questionOf(
  subject: PolicySubject,
  rule: PlacedRule,
  mayRemember: boolean,
): PolicyQuestion {
  const { server, kind, name, effect, args } = subject;
  const text = args === undefined ? undefined : JSON.stringify(withoutSecrets(args));
  const isLong = text !== undefined && text.length > maxShown;
  const shown = isLong ? `${text.slice(0, maxShown)}… (${text.length} characters)` : text;
  return { server, kind, name, effect, arguments: shown, rule, mayRemember };
}

/** The question in words. */
export function questionText(question: PolicyQuestion): string {
  const { server, kind, name, effect, rule } = question;
  const does =
    effect === undefined || effect === 'read'
      ? ''
      : ` It may ${effect === 'write' ? 'write' : 'destroy'}.`;
  const given = question.arguments === undefined ? '' : `\nArguments: ${question.arguments}`;
  const why = rule.reason === undefined ? '' : `\nThe rule says: ${rule.reason}`;
  return `Allow the ${kind} ${name} of ${server}?${does}${given}${why}`;
}

function formOf(question: PolicyQuestion): Parameters<typeof elicit>[0] {
  const remember = {
    type: 'boolean',
    title: `Do not ask again about ${question.name} in this conversation`,
    default: false,
  };
  const properties = question.mayRemember ? { remember } : {};
  return { message: questionText(question), requestedSchema: { type: 'object', properties } };
}
