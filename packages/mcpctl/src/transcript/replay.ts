import { isRecord, KitError, RpcError, type Params } from 'mcp-kit/internal';
import type { InputHandlers, Session } from 'mcp-kit/client';
import type { SamplingResult } from 'mcp-kit/protocol';
import { differences, hasMask, plainOutcome, type Comparing, type Difference } from './compare.ts';
import type { Outcome, Question, RecordedCall, Recording } from './recording.ts';

/** What a replay found out about one server. */
export interface Replayed {
  readonly server: string;
  /** How many requests were made. */
  readonly calls: number;
  /** Requests that were not made, because something in them was masked. */
  readonly skipped: number;
  readonly differences: readonly CallDifference[];
}

/** What differs in one answer. */
interface CallDifference extends Difference {
  /** Which request, counted from 1; 0 is what the server says of itself. */
  readonly call: number;
  readonly method: string;
  /** The tool, prompt or resource that was asked for. */
  readonly name?: string | undefined;
}

/** Answers the questions of a server as they were answered in the recording. */
export class RecordedAnswers {
  #left: Question[] = [];
  #asked: Pick<Question, 'method' | 'params'>[] = [];

  /** Begins with the questions of another call; gives what was asked during the last one. */
  begin(questions: readonly Question[]): readonly Pick<Question, 'method' | 'params'>[] {
    const asked = this.#asked;
    this.#asked = [];
    this.#left = [...questions];
    return asked;
  }

  /** Handlers for what the client of a recording could do, and no others: servers are told what there are. */
  handlersFor({ client }: Recording): InputHandlers {
    const { elicitation, sampling, roots } = client;
    const handlers: { -readonly [Name in keyof InputHandlers]: InputHandlers[Name] } = {};
    if (elicitation !== undefined) {
      handlers.elicit = (form) => this.#answer('elicitation/create', form, { action: 'cancel' });
    }
    if (isRecord(elicitation) && 'url' in elicitation) {
      handlers.elicitUrl = (visit) =>
        this.#answer('elicitation/create', visit, { action: 'cancel' });
    }
    if (sampling !== undefined) {
      const nothing = { type: 'text', text: '' } as const;
      const silence: SamplingResult = { role: 'assistant', content: nothing, model: 'none' };
      handlers.sample = (params) => this.#answer('sampling/createMessage', params, silence);
    }
    if (roots !== undefined) {
      handlers.roots = () => this.#answer('roots/list', {}, { roots: [] }).roots;
    }
    return handlers;
  }

  #answer<T>(method: string, params: object, otherwise: T): T {
    this.#asked.push({ method, params: { ...params } });
    const at = this.#left.findIndex((question) => question.method === method);
    const [question] = at === -1 ? [] : this.#left.splice(at, 1);
    const answer = question?.answer;
    if (answer === undefined) return otherwise;
    // The server takes it, or does not: as it was recorded.
    if ('result' in answer) return answer.result as T;
    throw new RpcError(answer.error.code, answer.error.message, answer.error.data);
  }
}

function isQuestion(event: RecordedCall['events'][number]): event is Question {
  return event.kind === 'question';
}

/** Asks a server what was asked in a recording, in its order, and compares the answers. */
export async function replay(
  recording: Recording,
  session: Session,
  options: {
    readonly server: string;
    readonly answers: RecordedAnswers;
    readonly comparing: Comparing;
    readonly stop: AbortSignal;
  },
): Promise<Replayed> {
  const { server, answers, comparing, stop } = options;
  const found: CallDifference[] = [...greetingDifferences(recording, session, comparing)];
  let skipped = 0;
  for (const [at, call] of recording.calls.entries()) {
    const { method, params, events, outcome } = call;
    if (hasMask(params)) {
      skipped += 1;
      continue;
    }
    const questions = events.filter(isQuestion);
    answers.begin(questions);
    const now = await ask(session, call, stop);
    const asked = answers.begin([]);
    const recordedSide = { ...plainOutcome(outcome), questions: shownQuestions(questions) };
    const nowSide = { ...plainOutcome(now), questions: shownQuestions(asked) };
    const name = params['name'] ?? params['uri'];
    for (const difference of differences(recordedSide, nowSide, comparing)) {
      const about = typeof name === 'string' ? { method, name } : { method };
      found.push({ call: at + 1, ...about, ...difference });
    }
  }
  return { server, calls: recording.calls.length - skipped, skipped, differences: found };
}

/**
 * Questions as they are compared. The two eras say the kind of a form in different ways. Servers ask for roots when they like, and
 * nothing says which call that belongs to.
 */
function shownQuestions(asked: readonly Pick<Question, 'method' | 'params'>[]): readonly object[] {
  return asked
    .filter(({ method }) => method !== 'roots/list')
    .map(({ method, params: { mode: _mode, _meta, ...params } }) => ({ method, params }));
}

async function ask(
  session: Session,
  { method, params, events }: RecordedCall,
  signal: AbortSignal,
): Promise<Outcome> {
  const hasProgress = events.some((event) => event.method === 'notifications/progress');
  const options = hasProgress ? { signal, onProgress: () => {} } : { signal };
  try {
    return { result: await session.request(method, params, options) };
  } catch (error) {
    if (error instanceof RpcError) {
      return { error: { code: error.code, message: error.message, data: error.data } };
    }
    // Whoever cannot be reached does not answer otherwise.
    if (!(error instanceof KitError) || error.code !== 'timeout') throw error;
    return { error: { code: 0, message: error.message } };
  }
}

function greetingDifferences(
  { greeting }: Recording,
  { server: info, capabilities, instructions }: Session,
  comparing: Comparing,
): readonly CallDifference[] {
  if (greeting === undefined) return [];
  const now: Params = { info, capabilities, instructions };
  return differences({ ...greeting }, now, comparing).map((difference) => ({
    call: 0,
    method: 'greeting',
    ...difference,
  }));
}
