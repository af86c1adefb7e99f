import { crypto, describeError, pause, startTimer, unref, type Defined, type Logger } from '#base';
import { Exchange, isRecord, RpcError, rpcErrors, type Link, type Params } from '#jsonrpc';
import {
  callerOf,
  clientOf,
  invalidParams,
  isOver,
  missingClientCapability,
  traceOf,
  type DetailedTask,
  type Inputs,
  type TaskTerms,
} from '#protocol';
import type { Context } from '#server';
import { createMemoryStore } from '#store';
import { RunningTask, type Outcome, type Run, type Workplace } from './running-task.ts';
import { inputsOf } from './task-inputs.ts';
import type { TaskOptions } from './task-options.ts';
import {
  answering,
  cancelled,
  cancelling,
  detailed,
  ending,
  ownedBy,
  ownerLost,
  takenUp,
  type Form,
  type TaskRecord,
} from './task-record.ts';
import { leftMs, TaskTable } from './task-table.ts';

/** The calls that become tasks. */
export interface TaskSet {
  /** How a call is made whose process has died; nothing where this set has no such tool. */
  again(params: Params, form: Form): Run | undefined;
  readonly logger: Logger;
}

/** A call that may become a task. */
export interface Deferred {
  readonly exchange: Exchange;
  readonly terms: TaskTerms;
  /** It must become one, however quick it is. */
  readonly must: boolean;
  readonly form: Form;
  /** What the call is under the name of its task. */
  named(taskId: string): Named;
}

interface Named extends Pick<TaskRecord, 'params' | 'isRepeatable'> {
  readonly run: Run;
}

const day = 24 * 60 * 60_000;
/** A call with which process after process dies is not made for ever. */
const maxOwners = 5;
/** Between tries of a call whose keys its former process still holds. */
const underWayMs = 500;

/** All tasks of a set: those that this process works on, and those that are kept. */
export class Tasks {
  readonly node: string = crypto().randomUUID();
  readonly #set: TaskSet;
  readonly #table: TaskTable;
  readonly #options: Required<Defined<Omit<TaskOptions, 'store'>>>;
  readonly #running = new Map<string, RunningTask>();
  /** Other processes have the same store. */
  readonly #isShared: boolean;
  readonly #beat: Repeated;
  readonly #sweep: Repeated;
  #living: Promise<void> | undefined;
  #isClosed = false;

  constructor(options: TaskOptions, set: TaskSet) {
    const { store = createMemoryStore(), answerWithinMs = 500, ttlMs = day } = options;
    const { pollIntervalMs = 1000, maxTasks = 10_000, leaseMs = 30_000 } = options;
    this.#set = set;
    this.#isShared = options.store !== undefined;
    this.#options = { answerWithinMs, ttlMs, pollIntervalMs, maxTasks, leaseMs };
    this.#table = new TaskTable(store);
    const quietly = (work: () => Promise<void>): Promise<void> => this.#quietly(work);
    this.#beat = new Repeated(leaseMs / 3, () =>
      quietly(() => this.#table.live(this.node, leaseMs)),
    );
    this.#sweep = new Repeated(leaseMs, () => quietly(() => this.#takeUpAll()));
    if (this.#isShared) void quietly(() => this.#takeUpAll()).then(() => this.#sweep.begin());
  }

  /** Answers a call that is quick, where it may be answered; begins a task otherwise. */
  async answer(deferred: Deferred): Promise<unknown> {
    const { terms, exchange: outer } = deferred;
    const taskId = crypto().randomUUID();
    const named = deferred.named(taskId);
    const { params } = named;
    // The same trace, whoever is asked for it.
    traceOf(outer);
    const exchange = outer.forwarded.bind(outer);
    const task = new RunningTask(taskId, this.#workplace, { outer, exchange, params });
    const keep = async (): Promise<object> => {
      const record = await this.#keep(task, deferred, named);
      return terms.started(this.#shown(record));
    };
    if (deferred.must || terms.isWanted) {
      if (this.#isFull) throw new RpcError(rpcErrors.overloaded, 'Too many tasks are under way');
      const started = await keep();
      task.begin(named.run);
      return started;
    }
    task.begin(named.run);
    await soon(task.settled, this.#options.answerWithinMs);
    // Whoever cannot be given a task waits.
    if (task.outcome !== undefined || this.#isFull) return valueOf(await task.settled);
    const started = await keep().catch((error: unknown) => this.#report(error));
    return started ?? valueOf(await task.settled);
  }

  /** A task of whoever asks, as it is now. */
  async get(taskId: unknown, context: Context): Promise<DetailedTask> {
    return this.#shown(await this.#find(taskId, context));
  }

  /** Takes answers to what a task has asked. */
  async update(taskId: unknown, responses: unknown, context: Context): Promise<void> {
    const record = await this.#find(taskId, context);
    if (!isRecord(responses)) throw invalidParams('inputResponses must be an object');
    await this.#table.change(record.taskId, answering(responses));
  }

  /** Says that a task is no longer wanted; gives it as it is then. */
  async cancel(taskId: unknown, context: Context): Promise<DetailedTask> {
    const record = await this.#find(taskId, context);
    return this.#shown((await this.#table.change(record.taskId, cancelling)) ?? record);
  }

  /** The same for clients that are promised that nothing else will come of it. */
  async end(taskId: unknown, context: Context): Promise<DetailedTask> {
    const record = await this.#find(taskId, context);
    if (isOver(record)) throw invalidParams(`The task is ${record.status} already`);
    const ended = await this.#table.change(record.taskId, cancelled);
    await this.#table.settle(record.taskId);
    return this.#shown(ended ?? record);
  }

  /** Hears how a task is, now and after each change, until the function given back is called; nothing where there is no such task. */
  async watch(
    taskId: string,
    context: Context,
    changed: (task: DetailedTask) => void,
  ): Promise<(() => void) | undefined> {
    const found = await this.#find(taskId, context).catch((error: unknown) => {
      if (error instanceof RpcError) return undefined;
      throw error;
    });
    if (found === undefined) return undefined;
    let last = '';
    const look = async (): Promise<void> => {
      const record = await this.#table.get(taskId);
      if (record === undefined) return;
      const shown = this.#shown(record);
      const text = JSON.stringify(shown);
      if (text === last) return;
      last = text;
      changed(shown);
    };
    const unwatch = this.#table.watch(taskId, () => void this.#quietly(look));
    await look();
    return unwatch;
  }

  /** Begins no more tasks. Those that are under way go on for as long as this process lives, and are then seen to by others. */
  close(): void {
    this.#isClosed = true;
    this.#sweep.end();
    this.#rest();
  }

  /** Nothing is left to be done here: others need not wait until this process is taken to have ended. */
  #rest(): void {
    if (!this.#isClosed || this.#running.size > 0) return;
    this.#beat.end();
    if (this.#living !== undefined) void this.#quietly(() => this.#table.leave(this.node));
  }

  get #isFull(): boolean {
    return this.#isClosed || this.#running.size >= this.#options.maxTasks;
  }

  get #workplace(): Workplace {
    return { table: this.#table, node: this.node, logger: this.#set.logger };
  }

  #shown(record: TaskRecord): DetailedTask {
    return detailed(record, this.#options.pollIntervalMs);
  }

  /** Makes a task of a call; from then on it can be asked for. */
  async #keep(
    task: RunningTask,
    { exchange, terms, form }: Deferred,
    { params, isRepeatable }: Named,
  ): Promise<TaskRecord> {
    const { ttlMs } = this.#options;
    const inputs = inputsOf(exchange);
    const now = new Date().toISOString();
    const record: TaskRecord = {
      taskId: task.taskId,
      caller: callerOf(exchange) ?? null,
      account: exchange.principal ?? null,
      client: clientOf(exchange),
      params,
      form,
      isRepeatable,
      createdAt: now,
      lastUpdatedAt: now,
      ttlMs: Math.ceil(Math.min(ttlMs, terms.ttlMs ?? ttlMs)),
      status: 'working',
      owner: this.node,
      owners: 1,
      questions: {},
      ...inputs.learnt(),
    };
    await this.#live();
    await this.#table.create(record);
    this.#work(task, record, inputs);
    return record;
  }

  #work(task: RunningTask, record: TaskRecord, inputs: Pick<Inputs, 'missing'>): void {
    this.#running.set(task.taskId, task);
    void task.over.then(() => {
      this.#running.delete(task.taskId);
      this.#rest();
    });
    task.becomeTask(record, inputs);
  }

  /** A task of whoever asks; of one whose process has died it is seen to what becomes of it. */
  async #find(taskId: unknown, context: Context): Promise<TaskRecord> {
    const found = typeof taskId === 'string' ? await this.#table.get(taskId) : undefined;
    const isOwn = found !== undefined && found.caller === (context.principal ?? null);
    const record = isOwn && leftMs(found) > 0 ? await this.#attended(found) : undefined;
    if (record !== undefined) return record;
    throw invalidParams('Unknown task: there is none, it has expired, or it is not yours');
  }

  async #attended(record: TaskRecord): Promise<TaskRecord | undefined> {
    const { owner } = record;
    const isAttended = isOver(record) || owner === this.node || !this.#isShared;
    return isAttended || (await this.#table.isAlive(owner)) ? record : this.#takeUp(record);
  }

  /** Does once more what its process has not brought to an end, where that is safe; says otherwise that nobody knows. */
  async #takeUp(record: TaskRecord): Promise<TaskRecord | undefined> {
    const { taskId, owner, params, form, isRepeatable, owners, isCancelled } = record;
    const run = this.#set.again(params, form);
    if (run === undefined || this.#isClosed) return undefined;
    if (!isRepeatable || isCancelled || owners >= maxOwners) {
      const lost = await this.#table.change(taskId, ownedBy(owner, ending({ error: ownerLost })));
      await this.#table.settle(taskId);
      return lost;
    }
    await this.#live();
    const taken = await this.#table.change(taskId, ownedBy(owner, takenUp(this.node)));
    if (taken?.owner !== this.node || this.#running.has(taskId)) return taken;
    const task = new RunningTask(taskId, this.#workplace, {
      params,
      exchange: (own, link) => withoutRequest(taken, own, link),
    });
    this.#work(task, taken, { missing: missingClientCapability });
    task.begin((context) => this.#whenFree(run, context));
    return taken;
  }

  /** The process that has died may hold its keys for a while longer. */
  async #whenFree(run: Run, context: Context): Promise<unknown> {
    const endMs = performance.now() + 2 * this.#options.leaseMs + underWayMs;
    for (;;) {
      const result = await run(context);
      if (!isUnderWay(result) || performance.now() > endMs) return result;
      await pause(underWayMs, context.signal);
    }
  }

  async #takeUpAll(): Promise<void> {
    for (const taskId of await this.#table.open()) {
      if (this.#isClosed) return;
      if (this.#running.has(taskId)) continue;
      const record = await this.#table.get(taskId);
      if (record === undefined || isOver(record)) await this.#table.settle(taskId);
      else await this.#attended(record);
    }
  }

  /** Says that this process is there, before anything depends on it. */
  #live(): Promise<void> {
    if (!this.#isShared) return Promise.resolve();
    this.#beat.begin();
    this.#living ??= this.#table.live(this.node, this.#options.leaseMs).catch((error: unknown) => {
      this.#living = undefined;
      throw error;
    });
    return this.#living;
  }

  async #quietly(work: () => Promise<void>): Promise<void> {
    await work().catch((error: unknown) => this.#report(error));
  }

  #report(error: unknown): undefined {
    this.#set.logger.error('tasks: the store failed', { error: describeError(error) });
  }
}

/** Work that is done again and again, never twice at once. */
class Repeated {
  readonly #everyMs: number;
  readonly #work: () => Promise<void>;
  #timer: NodeJS.Timeout | undefined;
  #isEnded = false;

  constructor(everyMs: number, work: () => Promise<void>) {
    this.#everyMs = everyMs;
    this.#work = work;
  }

  begin(): void {
    if (this.#timer !== undefined || this.#isEnded) return;
    const again = (): void => {
      this.#timer = undefined;
      void this.#work().then(() => this.begin());
    };
    this.#timer = unref(startTimer(again, this.#everyMs));
  }

  end(): void {
    this.#isEnded = true;
    clearTimeout(this.#timer);
  }
}

/** A request whose process has died, as its handler sees it once more. */
function withoutRequest({ account, client }: TaskRecord, params: Params, link: Link): Exchange {
  const principal = account ?? undefined;
  const message = { jsonrpc: '2.0', id: 0, method: 'tools/call', params } as const;
  const exchange = new Exchange(message, { ...link, principal });
  exchange.client = client;
  return exchange;
}

function valueOf(outcome: Outcome): unknown {
  if ('thrown' in outcome) throw outcome.thrown;
  return outcome.value;
}

/** Whether the keys of a call are held by another one. */
function isUnderWay(result: unknown): boolean {
  const content = isRecord(result) ? result['structuredContent'] : undefined;
  const error = isRecord(content) ? content['error'] : undefined;
  return isRecord(error) && error['code'] === 'E_CONFLICT' && error['retryable'] === true;
}

/** Waits for something, no longer than so long. */
async function soon(work: Promise<unknown>, ms: number): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise((resolve) => (timer = startTimer(() => resolve(undefined), ms)));
  await Promise.race([work, late]);
  clearTimeout(timer);
}
