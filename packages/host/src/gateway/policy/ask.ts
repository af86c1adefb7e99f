import {
  clientOf,
  conversationOf,
  elicit,
  isRecord,
  supports,
  withoutSecrets,
  type Conversation,
  type Exchange,
} from 'mcp-kit/internal';
import { asking } from '../edge.ts';
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

const maxShown = 1000;

export function createAsker(person: AskPerson | undefined): Asker {
  const rounds = createRounds('mcp-kit/policy');
  const remembered = new WeakMap<Conversation, Set<string>>();
  const remember = (conversation: Conversation, what: string): void => {
    const known = remembered.get(conversation) ?? new Set();
    if (!remembered.has(conversation)) conversation.onEnded(() => remembered.delete(conversation));
    remembered.set(conversation, known.add(what));
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
      const round = supports(clientOf(exchange).capabilities, form.needs)
        ? await asking(exchange, rounds)(exchange, about, form)
        : undefined;
      if (round !== undefined && 'result' in round) return round;
      const answer =
        round === undefined ? await person?.(question, exchange.signal) : answerIn(round.response);
      if (answer === 'always' && conversation !== undefined) remember(conversation, about);
      return { answer, goOn: round?.goOn ?? goOn };
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
