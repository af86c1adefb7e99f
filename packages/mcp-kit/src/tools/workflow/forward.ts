import { createDeferred, isPromise, type Deferred } from '#base';
import { InputNeeded, type CommitNote, type Requests } from '#server';
import { Applied } from '../changes.ts';
import { fail, ToolFailure, type Failure } from '../failure.ts';
import type { RunRecord, StageRecord } from './journal.ts';
import {
  asJson,
  findEffect,
  performStage,
  recordOf,
  stageFailure,
  type Running,
} from './running.ts';
import { askFor, type AnyStage } from './stage.ts';

/** Applies what has not been applied yet; returns the failure that turned the run back. Throws when users must be asked first. */
export function goForward(running: Running): Promise<Failure | undefined> {
  return new Forward(running).run();
}

class Forward {
  readonly #running: Running;
  readonly #stopped: Deferred<void> = createDeferred<void>();
  readonly #waiting = new Map<AnyStage, Requests>();
  #failure: Failure | undefined;
  /** Why nobody can tell what to do next. */
  #interruption: ToolFailure | undefined;

  constructor(running: Running) {
    this.#running = running;
  }

  async run(): Promise<Failure | undefined> {
    const { driver, stages } = this.#running;
    const { signal } = driver;
    const stop = (): void => this.#stopped.resolve();
    signal.addEventListener('abort', stop, { once: true });
    try {
      await this.#advance();
    } finally {
      signal.removeEventListener('abort', stop);
    }
    if (this.#failure !== undefined) return this.#failure;
    if (this.#interruption !== undefined) throw this.#interruption;
    if (stages.every((stage) => this.#is(stage, 'applied'))) return undefined;
    if (this.#waiting.size > 0 && !signal.aborted) throw this.#questions();
    const givenUp = fail('E_TIMEOUT', 'It was given up before it was done.').failure;
    turnBack(this.#running.journal.record, givenUp);
    return givenUp;
  }

  /** Begins every stage as soon as those before it are done; what has begun comes to its end. */
  async #advance(): Promise<void> {
    const { stages } = this.#running;
    const begun = new Map<AnyStage, Promise<void>>();
    for (;;) {
      for (const stage of stages.filter((each) => !begun.has(each) && this.#isReady(each))) {
        const pursued = this.#pursue(stage).finally(() => begun.delete(stage));
        begun.set(stage, pursued);
      }
      if (begun.size === 0) return;
      await Promise.race(begun.values());
    }
  }

  #is(stage: AnyStage, status: StageRecord['status']): boolean {
    return recordOf(this.#running, stage).status === status;
  }

  #isReady(stage: AnyStage): boolean {
    if (this.#isStopped || this.#waiting.has(stage)) return false;
    if (!this.#is(stage, 'planned') && !this.#is(stage, 'applying')) return false;
    return this.#before(stage).every((earlier) => this.#is(earlier, 'applied'));
  }

  get #isStopped(): boolean {
    const given = this.#failure ?? this.#interruption;
    return given !== undefined || this.#running.driver.signal.aborted;
  }

  #before({ after }: AnyStage): readonly AnyStage[] {
    return this.#running.stages.filter(({ name }) => after.includes(name));
  }

  /** One stage, to whatever end. */
  async #pursue(stage: AnyStage): Promise<void> {
    const record = recordOf(this.#running, stage);
    try {
      if (record.status === 'applying' && (await this.#isSettled(stage, record))) return;
      const answers = record.answers ?? (await this.#ask(stage, record));
      if (answers === undefined || this.#isStopped) return;
      await this.#apply(stage, record, answers);
    } catch (error) {
      if (error instanceof InputNeeded) this.#waiting.set(stage, error.requests);
      else await this.#fail(stage, record, error);
    }
  }

  /** The process that began the stage has not said what became of it. */
  async #isSettled(stage: AnyStage, record: StageRecord): Promise<boolean> {
    if (stage.find !== undefined) {
      const found = await this.#find(stage, record);
      if (found !== undefined) await this.#applied(record, found.output);
      return found !== undefined || this.#isStopped;
    }
    if (stage.idempotent === true) return false;
    record.doubt = 'effect';
    throw fail('E_CONFLICT', 'It broke off, and it is not known whether it took effect.');
  }

  /** As long as one cannot look, one can neither go on nor back. */
  async #find(stage: AnyStage, record: StageRecord): Promise<{ output: unknown } | undefined> {
    try {
      return await findEffect(this.#running, stage, record);
    } catch (error) {
      this.#interruption = new ToolFailure(stageFailure(error, stage, this.#running));
      this.#stopped.resolve();
      return undefined;
    }
  }

  /** The answers to what the stage asks; nothing when they are not waited for any more. */
  async #ask(stage: AnyStage, { plan }: StageRecord): Promise<object | undefined> {
    const requests = stage.ask?.({ plan, outputs: this.#outputs(stage) } as never);
    if (requests === undefined || Object.keys(requests).length === 0) return {};
    const asked = askFor(this.#running.driver, stage, requests);
    asked.catch(() => undefined);
    return (await Promise.race([asked, this.#stopped.promise])) ?? undefined;
  }

  async #apply(stage: AnyStage, record: StageRecord, answers: object): Promise<void> {
    const { journal } = this.#running;
    const { begun } = journal.record;
    record.answers = asJson({ ...answers }, 'answers');
    record.status = 'applying';
    if (!begun.includes(stage.name)) begun.push(stage.name);
    await journal.save();
    const startedMs = performance.now();
    const known = { plan: record.plan, outputs: this.#outputs(stage), answers: record.answers };
    const ended = await performStage(this.#running, stage, {
      name: stage.name,
      signal: this.#running.driver.signal,
      commit: (...answer) => this.#commit(stage, answer),
      work: (context) => stage.apply(known as never, context),
    }).catch((error: unknown) => {
      if (!isRefusal(error)) record.doubt = 'effect';
      throw error;
    });
    record.durationMs = Math.round(performance.now() - startedMs);
    if (ended.in === 'time') return this.#applied(record, ended.value);
    record.doubt = ended.in === 'stuck' ? 'running' : 'effect';
    if ('value' in ended) keepOutput(record, ended.value);
    throw fail('E_TIMEOUT', `It was not done within ${stage.timeoutMs} ms.`);
  }

  /** With the last stage to be applied the whole run is done: its answer is what is to be kept. */
  async #commit(
    stage: AnyStage,
    answer: readonly [output?: unknown],
  ): Promise<CommitNote | undefined> {
    const { driver, journal, stages, answerOf } = this.#running;
    const own = recordOf(this.#running, stage);
    const isLast = stages.every((each) => each === stage || this.#is(each, 'applied'));
    if (answer.length === 0 || !isLast || answerOf === undefined) return driver.commit();
    const applied: StageRecord = { ...own, status: 'applied' };
    keepOutput(applied, answer[0]);
    const list = journal.record.stages.map((each) => (each === own ? applied : each));
    return driver.commit(await answerOf({ ...journal.record, status: 'done', stages: list }));
  }

  async #applied(record: StageRecord, returned: unknown): Promise<void> {
    const { journal, driver, stages } = this.#running;
    record.status = 'applied';
    keepOutput(record, returned);
    await journal.save();
    const done = stages.filter((stage) => this.#is(stage, 'applied')).length;
    const told = driver.progress(done, stages.length, record.stage);
    // The work does not wait for those who watch it.
    if (isPromise(told)) told.catch(() => undefined);
  }

  async #fail(stage: AnyStage, record: StageRecord, error: unknown): Promise<void> {
    const { journal, driver } = this.#running;
    // Whatever a stage throws when nobody waits any more, that is the reason.
    const givenUp = driver.signal.aborted && !(error instanceof ToolFailure);
    const cause = givenUp ? fail('E_TIMEOUT', 'It was given up.') : error;
    const failure = stageFailure(cause, stage, this.#running);
    record.error = failure;
    // One that was applied and could not be noted stays so: it is taken back with what it returned.
    if (record.status !== 'applied') record.status = 'failed';
    if (!journal.record.begun.includes(stage.name)) record.restored = true;
    this.#failure ??= failure;
    turnBack(journal.record, this.#failure);
    this.#stopped.resolve();
    await journal.saveIfPossible();
  }

  #outputs(stage: AnyStage): object {
    const entries = this.#before(stage).map((earlier) => [
      earlier.name,
      recordOf(this.#running, earlier).output,
    ]);
    return Object.fromEntries(entries);
  }

  #questions(): InputNeeded {
    return new InputNeeded(Object.assign({}, ...this.#waiting.values()) as Requests);
  }
}

function turnBack(record: RunRecord, failure: Failure): void {
  record.direction = 'back';
  record.failure = failure;
}

/** A stage that says why it cannot, and that no retry will help, has done nothing. */
function isRefusal(error: unknown): boolean {
  return error instanceof ToolFailure && !error.failure.retryable;
}

function keepOutput(record: StageRecord, returned: unknown): void {
  const output = returned instanceof Applied ? returned.output : returned;
  if (returned instanceof Applied) record.changes = returned.changes;
  record.output = asJson(output, 'output');
}
