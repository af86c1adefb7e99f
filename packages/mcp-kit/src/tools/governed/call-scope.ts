import { crypto, isPromise, type MaybePromise } from '#base';
import type { Exchange, TraceContext } from '#jsonrpc';
import { traceHeaders, traceIdOf, traceOf } from '#protocol';
import { Context, type CommitNote, type Scope, type Spans } from '#server';
import type { Call } from '../call.ts';
import type { Plan } from '../changes.ts';
import { fail, ToolFailure } from '../failure.ts';
import type { Outcome } from '../contract/contract.ts';
import type { Entry } from '../entry.ts';
import type { Span } from '../trace/traces.ts';
import { noControl, type Control } from './control-fields.ts';

/** One governed call while it runs: what the layers know of it, its time and its trace. */
export class CallScope implements Scope {
  readonly entry: Entry;
  readonly context: Context;
  readonly received: Readonly<Record<string, unknown>>;
  /** The tool's own arguments, as received; set once those of the framework have been taken out. */
  own: Readonly<Record<string, unknown>>;
  /** The same as the tool's schema made them; set once they have been checked. */
  args: unknown;
  /** The arguments that every writing tool has; set once they have been checked. */
  control: Control = noControl;
  plan: Plan | undefined;
  /** Called when the plan is about to be applied, by whoever must know. */
  beforeApply: ((plan: Plan | undefined) => MaybePromise<void>) | undefined;
  /** What the call will have come to when the tool returns this. */
  outcomeOf: ((returned: unknown) => MaybePromise<Outcome>) | undefined;
  /** What to keep with the change, so that this outcome, if it is known, is told to whoever asks again; where there is a key. */
  noteFor: ((outcome: Outcome | undefined) => CommitNote) | undefined;
  noQuestions: Error | undefined;
  /** Work that was answered for because its time was up, until it ends; never rejects. */
  leftOver: Promise<void> | undefined;
  /** What names are derived from. */
  seed: string | undefined;
  readonly startedMs: number = performance.now();
  readonly timestamp: string = new Date().toISOString();
  readonly trace: TraceContext;
  readonly spans: Span[] = [];
  readonly #exchange: Exchange;
  #phase = -1;
  #phaseMs = 0;
  #endedMs: number | undefined;
  #expired = false;
  #committed = false;
  #controller: AbortController | undefined;

  constructor({ entry, args, context }: Call) {
    this.entry = entry;
    this.received = args;
    this.own = args;
    this.args = args;
    this.context = context;
    this.#exchange = Context.exchangeOf(context);
    this.trace = traceOf(this.#exchange);
    Context.govern(context, this);
  }

  /** Whom the transport knows: what is limited or shared out goes by this, whoever else it may ask for. */
  get account(): string | undefined {
    return this.#exchange.principal;
  }

  get traceId(): string {
    return traceIdOf(this.#exchange);
  }

  get traceHeaders(): Readonly<Record<string, string>> {
    return traceHeaders(this.trace);
  }

  /** The time for the call is up. */
  get expired(): boolean {
    return this.#expired;
  }

  /** Nobody waits for this call any more, for whatever reason. */
  get abandoned(): boolean {
    return this.#expired || this.#exchange.cancelled;
  }

  /** Something is being changed: the call is answered with what it comes to. */
  get committed(): boolean {
    return this.#committed;
  }

  async commit(answer: { readonly output: unknown } | undefined): Promise<CommitNote | undefined> {
    this.#refuseLate();
    const { noteFor, outcomeOf } = this;
    const outcome = noteFor && answer && (await outcomeOf?.(answer.output));
    const note = noteFor?.(outcome);
    if (outcome === undefined && !this.#committed) await this.beforeApply?.(this.plan);
    this.#refuseLate();
    this.#committed = true;
    return note;
  }

  /** Whoever has been told that nothing was changed must be able to rely on it. */
  #refuseLate(): void {
    if (this.#committed || !this.abandoned) return;
    throw fail('E_TIMEOUT', 'It was given up before anything was changed.');
  }

  /** Made on first use: most tools never look. */
  get signal(): AbortSignal {
    if (this.#controller === undefined) {
      const controller = new AbortController();
      this.#controller = controller;
      const { signal } = this.#exchange;
      const abort = (): void => {
        if (!this.#committed) controller.abort(signal.reason);
      };
      if (signal.aborted) abort();
      else signal.addEventListener('abort', abort, { once: true });
      if (this.#expired) this.expire();
    }
    return this.#controller.signal;
  }

  expire(): void {
    this.#expired = true;
    this.#controller?.abort(new DOMException('the time for the call is up', 'TimeoutError'));
  }

  newId(label: string): string {
    this.seed ??= crypto().randomUUID();
    return crypto().hash('sha256', `${this.seed}\n${label}`, 'base64url').slice(0, 22);
  }

  span<T>(name: string, work: (within: Spans) => MaybePromise<T>): MaybePromise<T> {
    return this.#record(name, this.#phase, work);
  }

  /** The call goes on to its next phase; what it does from now on is part of that. */
  phase(name: string): void {
    // The first begins with the call: to look at the clock is a good part of what watching costs.
    const nowMs = this.spans.length === 0 ? this.startedMs : performance.now();
    this.#endPhase(nowMs);
    if (this.spans.length >= maxSpans) return;
    this.#phase = this.spans.length;
    this.#phaseMs = nowMs;
    const startMs = rounded(nowMs - this.startedMs);
    this.spans.push({ name, parent: -1, startMs, durationMs: null });
  }

  /** The call is over, or goes on without being watched. */
  end(error?: string): void {
    const span = this.spans[this.#phase];
    if (error !== undefined && span !== undefined) span.error = error;
    this.#endedMs ??= performance.now();
    this.#endPhase(this.#endedMs);
    this.#phase = -1;
  }

  /** How long the call took, or has taken until now. */
  get durationMs(): number {
    return Math.round((this.#endedMs ?? performance.now()) - this.startedMs);
  }

  #endPhase(nowMs: number): void {
    const span = this.spans[this.#phase];
    if (span !== undefined) span.durationMs = rounded(nowMs - this.#phaseMs);
  }

  #record<T>(
    name: string,
    parent: number,
    work: (within: Spans) => MaybePromise<T>,
  ): MaybePromise<T> {
    const index = this.spans.length;
    if (index >= maxSpans) return work(this);
    const begunMs = performance.now();
    const span: Span = {
      name,
      parent,
      startMs: rounded(begunMs - this.startedMs),
      durationMs: null,
    };
    this.spans.push(span);
    const end = (): void => {
      span.durationMs = rounded(performance.now() - begunMs);
    };
    const failed = (error: unknown): never => {
      end();
      span.error = codeOf(error);
      throw error;
    };
    const within: Spans = { span: (inner, part) => this.#record(inner, index, part) };
    try {
      const value = work(within);
      if (isPromise(value)) {
        return value.then((settled) => {
          end();
          return settled;
        }, failed);
      }
      end();
      return value;
    } catch (error) {
      return failed(error);
    }
  }
}

/** A tool that loops over thousands must not fill the memory with its trace. */
const maxSpans = 200;

function rounded(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}

function codeOf(error: unknown): string {
  if (error instanceof ToolFailure) return error.failure.code;
  return error instanceof Error ? error.name : 'Error';
}
