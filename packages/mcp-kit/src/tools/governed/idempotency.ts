import {
  chain,
  crypto,
  describeError,
  longestTimerMs,
  unref,
  withoutUndefined,
  type Defined,
  type Logger,
} from '#base';
import { InputNeeded, type CommitNote } from '#server';
import type { Values } from '#store';
import type { Plan } from '../changes.ts';
import { isCallToolResult } from '../call.ts';
import type { Outcome } from '../contract/contract.ts';
import { fail } from '../failure.ts';
import { isWriting, traitsOf } from '../manifest/manifest.ts';
import type { CallScope } from './call-scope.ts';
import { digestOf } from './dry-run.ts';
import { inProgress, outcomeUnknown, settled, undone } from './idempotency-answers.ts';
import {
  cannotBeKept,
  digest,
  parseRecord,
  placeOf,
  writeRecord,
  type KeyRecord,
} from './idempotency-record.ts';
import { guard, type Handle, type Wrap } from './layer.ts';
import { TriedKeys } from './tried-keys.ts';

export interface IdempotencyOptions {
  /** How long an answer is given again; a day. */
  readonly keepMs?: number | undefined;
  /** How long a call that says nothing is taken to be alive; 30 seconds. */
  readonly leaseMs?: number | undefined;
  /** Answers with more characters are remembered without their content; 256 Ki. */
  readonly maxAnswer?: number | undefined;
  /** How many characters the memory of this process keeps, where there is no other store; 64 Mi, a quarter of it for one caller. */
  readonly maxKept?: number | undefined;
  /** The store is kept where the tools write: `context.commit` tells them what to put there together with their change. */
  readonly notes?: boolean | undefined;
  /** Milliseconds on a clock that all processes of the store share. */
  readonly now?: (() => number) | undefined;
}

interface Kept extends Required<Defined<Omit<IdempotencyOptions, 'maxKept'>>> {
  readonly store: { readonly kv: Values };
  readonly logger: Logger;
}

/** Does what is asked under one key once, and answers alike however often it is asked. */
export function idempotencyLayer(
  options: IdempotencyOptions & {
    readonly store: { readonly kv: Values };
    readonly logger: Logger;
  },
): Wrap {
  const keeping: Kept = {
    keepMs: 24 * 60 * 60_000,
    leaseMs: 30_000,
    maxAnswer: 256 * 1024,
    notes: false,
    now: Date.now,
    ...withoutUndefined(options),
  };
  const tried = new TriedKeys(keeping.now);
  return (next, entry) => {
    if (!isWriting(entry)) return next;
    const { idempotent } = traitsOf(entry.tool);
    const guarded = guard(next, options.logger);
    return (call) => {
      const { idempotencyKey: key, dryRun, planToken } = call.control;
      if (key === undefined) return next(call);
      if (!dryRun) call.phase('idempotency');
      const { account } = call;
      const { principal } = call.context;
      const tool = entry.tool.name;
      const name = principal === account ? [tool, key] : [tool, key, principal];
      const at = placeOf('idempotency', account, digest(name));
      const args = digest([call.own, planToken ?? null]);
      const named = `${at} ${args}`;
      if (!dryRun) {
        const seed = tried.seedOf(named);
        return new KeyedCall(call, { at, args, idempotent, keeping, seed }).run(guarded);
      }
      // Trying changes nothing, so it may be done as often as one likes.
      return chain(next(call), (outcome) => {
        if (call.seed !== undefined) tried.remember(named, call.seed);
        return outcome;
      });
    };
  };
}

interface Keyed {
  readonly at: string;
  readonly args: string;
  readonly idempotent: boolean;
  readonly keeping: Kept;
  /** What the names that a dry run told were derived from. */
  readonly seed: string | undefined;
}

const maxTries = 5;

/** One call under a key, from finding out what is known of the key to leaving the answer there. */
class KeyedCall {
  readonly #call: CallScope;
  readonly #keyed: Keyed;
  readonly #owner = crypto().randomUUID();
  #nonce = '';
  /** What was given to the tool to keep together with its change. */
  #note: { readonly text: string; readonly outcome: Outcome } | undefined;
  /** What this call wrote under the key last, and the same as text. */
  #held: KeyRecord;
  #text = '';
  #writing: Promise<unknown> = Promise.resolve();
  /** What an earlier call was about to apply when it was last heard of. */
  #orphan: KeyRecord | undefined;
  #applying = false;
  #renewal: NodeJS.Timeout | undefined;

  constructor(call: CallScope, keyed: Keyed) {
    this.#call = call;
    this.#keyed = keyed;
    this.#held = this.#record('running');
  }

  /** `next` throws only what is meant for the protocol. */
  async run(next: Handle): Promise<Outcome> {
    // One for all rounds of questions.
    const { seed = crypto().randomUUID() } = this.#keyed;
    this.#nonce = await this.#call.context.once('idempotency nonce', () => seed);
    this.#held = this.#record('running');
    const earlier = await this.#claim();
    if (earlier !== undefined) return earlier;
    this.#call.seed = this.#nonce;
    const { leaseMs } = this.#keyed.keeping;
    const renew = (): void => void this.#quietly(() => this.#write(this.#renewed()));
    const everyMs = Math.min(longestTimerMs, Math.max(10, leaseMs / 3));
    this.#renewal = unref(setInterval(renew, everyMs));
    this.#call.beforeApply = (plan) => this.#beforeApply(plan);
    if (this.#keyed.keeping.notes) this.#call.noteFor = (outcome) => this.#noteFor(outcome);
    try {
      const outcome = this.#concluded(await next(this.#call));
      clearInterval(this.#renewal);
      this.#call.phase('record');
      const kept = await this.#keptOutcome();
      if (kept !== undefined) return kept;
      await this.#conclude(outcome);
      return outcome;
    } catch (error) {
      // A question to the client, or a refusal of the protocol: the call has not come to an end.
      await this.#release(error instanceof InputNeeded ? 'waiting' : 'applying');
      throw error;
    } finally {
      clearInterval(this.#renewal);
    }
  }

  /**
   * Where an earlier call broke off, that this one finds no way says nothing about that one.
   * And a tool that was interrupted while it wrote has no better answer either.
   */
  #concluded(outcome: Outcome): Outcome {
    if (outcome.ok || outcome.failure.retryable) return outcome;
    const { abandoned } = this.#call;
    const { code, message } = outcome.failure;
    const brokeOff = this.#orphan !== undefined && !this.#applying && !abandoned;
    const interrupted = this.#applying && abandoned && code === 'E_INTERNAL';
    if (!brokeOff && !interrupted) return outcome;
    return { ok: false, failure: outcomeUnknown({ code, message }).failure };
  }

  /** Makes the key this call's own; or tells the answer that an earlier call left there. */
  async #claim(): Promise<Outcome | undefined> {
    const { store, leaseMs, keepMs, maxAnswer } = this.#keyed.keeping;
    for (let tries = 0; tries < maxTries; tries += 1) {
      const found = await this.#reach(() => store.kv.get(this.#keyed.at));
      const record = found === undefined ? undefined : parseRecord(found);
      if (record !== undefined) {
        const answer = this.#answerOf(record);
        if (answer !== undefined) return answer;
        this.#nonce = record.nonce ?? this.#nonce;
      }
      // Where the store lets one wait, the key is free at once for whoever asks again.
      if (this.#call.abandoned) throw fail('E_TIMEOUT', 'It was given up before it was begun.');
      const isWaiting = record?.phase === 'waiting';
      this.#orphan = isWaiting ? undefined : record;
      this.#applying = isWaiting;
      // Taken over as it is: should this call break off as well, the next one knows as much.
      const claim = record === undefined ? this.#held : { ...record, ...this.#record('applying') };
      const text = writeRecord(claim, maxAnswer);
      const ttlMs = record === undefined ? leaseMs : keepMs;
      const won = await this.#reach(() => store.kv.cas(this.#keyed.at, found, text, { ttlMs }));
      if (won) {
        this.#held = claim;
        this.#text = text;
        return undefined;
      }
    }
    throw inProgress();
  }

  /** The answer to give for what is known of the key; nothing when the call may be tried once more. */
  #answerOf(record: KeyRecord): Outcome | undefined {
    if (record.args !== this.#keyed.args) {
      throw fail('E_CONFLICT', 'This idempotencyKey was used with other arguments.', {
        suggestion: 'Use a new key for a new call.',
      });
    }
    if (record.phase === 'done' && record.outcome !== undefined) {
      return this.#again(record.outcome);
    }
    const isAlive = record.untilMs !== undefined && record.untilMs > this.#keyed.keeping.now();
    if (record.phase === 'running' || isAlive) throw inProgress();
    if (record.phase === 'waiting') return undefined;
    if (this.#keyed.idempotent || record.witness !== undefined) return undefined;
    if (record.outcome !== undefined) return this.#again(settled(record.outcome));
    throw outcomeUnknown();
  }

  /** What a tool returned as a whole result is one again: a record holds it twice. */
  #again(outcome: Outcome): Outcome {
    const { output, tool } = this.#call.entry;
    const mayBeWhole = output === undefined && tool.plan === undefined;
    if (outcome.ok && mayBeWhole && isCallToolResult(outcome.value)) {
      return { ...outcome, shown: outcome.value, replayed: true };
    }
    return { ...outcome, replayed: true };
  }

  #record(phase: KeyRecord['phase'], more: Partial<KeyRecord> = {}): KeyRecord {
    const untilMs = this.#keyed.keeping.now() + this.#keyed.keeping.leaseMs;
    const { args } = this.#keyed;
    return { phase, args, owner: this.#owner, nonce: this.#nonce, untilMs, ...more };
  }

  #renewed(): KeyRecord {
    return { ...this.#held, untilMs: this.#record('running').untilMs ?? 0 };
  }

  /** From here on something may be changed: whoever finds this record must not simply start again. */
  async #beforeApply(plan: Plan | undefined): Promise<void> {
    const witness = this.#witnessOf(plan);
    const applying = this.#record('applying', { witness });
    // Whoever was away for longer than its lease must not go on as if nothing had happened.
    if (!(await this.#reach(() => this.#write(applying)))) throw inProgress();
    if (this.#call.abandoned) throw fail('E_TIMEOUT', 'It was given up before it was begun.');
    this.#applying = true;
  }

  /** What the plan was made from, as long as nothing speaks against applying it. */
  #witnessOf(plan: Plan | undefined): string | undefined {
    const witness = plan?.state === undefined ? undefined : digestOf(plan);
    const orphan = this.#orphan;
    if (orphan !== undefined && !this.#keyed.idempotent && orphan.witness !== witness) {
      throw outcomeUnknown();
    }
    return witness;
  }

  /** The answer as the record of a call that is done; it replaces what this call wrote, and nothing else. */
  #noteFor(outcome: Outcome | undefined): CommitNote {
    const { maxAnswer, keepMs: ttlMs } = this.#keyed.keeping;
    const textOf = (told: Outcome): string =>
      writeRecord(this.#record('done', { outcome: told }), maxAnswer);
    const note = { key: this.#keyed.at, expected: this.#text, undone: textOf(undone), ttlMs };
    if (outcome === undefined) return { ...note, value: undefined };
    this.#witnessOf(this.#call.plan);
    const value = textOf(outcome);
    this.#note = { text: value, outcome };
    return { ...note, value };
  }

  /** Where the answer was kept together with the change, that is what was done, whatever came after. */
  async #keptOutcome(): Promise<Outcome | undefined> {
    const note = this.#note;
    if (note === undefined) return undefined;
    const { store } = this.#keyed.keeping;
    await this.#writing;
    const found = await Promise.resolve(store.kv.get(this.#keyed.at)).catch((error: unknown) => {
      this.#report(error);
      return undefined;
    });
    return found === note.text ? note.outcome : undefined;
  }

  /** Leaves the answer under the key. */
  async #conclude(outcome: Outcome): Promise<void> {
    const worthRetrying = !outcome.ok && (outcome.failure.retryable || this.#call.abandoned);
    if (!worthRetrying) {
      await this.#quietly(() => this.#write(this.#record('done', { outcome })));
    } else if (this.#applying || this.#orphan !== undefined) {
      const failed = { outcome, untilMs: 0, witness: this.#held.witness };
      await this.#quietly(() => this.#write(this.#record('failed', failed)));
    } else {
      await this.#release();
    }
  }

  /** Gives the key back, as it was found; one under which something may have been changed stays known. */
  async #release(changed: KeyRecord['phase'] = 'applying'): Promise<void> {
    clearInterval(this.#renewal);
    const { store } = this.#keyed.keeping;
    const { at } = this.#keyed;
    await this.#writing;
    const left = this.#applying ? { ...this.#held, phase: changed } : this.#orphan;
    await this.#quietly(async () => {
      if (left !== undefined) await this.#write({ ...left, untilMs: 0 });
      else await store.kv.cas(at, this.#text, undefined);
    });
  }

  /** Writes over what this call wrote last, one write after the other; false when somebody else has written since. */
  #write(record: KeyRecord): Promise<boolean> {
    const writing = this.#writing.then(async () => {
      const { store, keepMs, leaseMs, maxAnswer } = this.#keyed.keeping;
      const text = writeRecord(record, maxAnswer);
      const ttlMs = record.phase === 'running' ? leaseMs : keepMs;
      const written = await store.kv.cas(this.#keyed.at, this.#text, text, { ttlMs });
      if (written) {
        this.#text = text;
        this.#held = record;
      }
      return written;
    });
    this.#writing = writing.catch(() => undefined);
    return writing;
  }

  /** Without the store nothing can be promised, so nothing is begun. */
  async #reach<T>(access: () => T | Promise<T>): Promise<T> {
    try {
      return await access();
    } catch (error) {
      this.#report(error);
      throw cannotBeKept(error, 'idempotency keys');
    }
  }

  /** The work is done: that it could not be noted is for the log, not for the caller. */
  async #quietly(access: () => Promise<unknown>): Promise<void> {
    await access().catch((error: unknown) => this.#report(error));
  }

  #report(error: unknown): void {
    const { traceId } = this.#call;
    this.#keyed.keeping.logger.error('idempotency: the store failed', {
      traceId,
      error: describeError(error),
    });
  }
}
