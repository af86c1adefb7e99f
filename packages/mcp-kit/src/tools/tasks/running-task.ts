import {
  createBackoff,
  createDeferred,
  describeError,
  pause,
  startTimer,
  unref,
  type Hold,
  type Logger,
  type MaybePromise,
} from '#base';
import {
  Encoded,
  isId,
  isRecord,
  toErrorObject,
  type Exchange,
  type Id,
  type Link,
  type Params,
} from '#jsonrpc';
import { isOver, metaOf, type Inputs } from '#protocol';
import { Context, InputNeeded } from '#server';
import { TaskInputs } from './task-inputs.ts';
import {
  ending,
  ownedBy,
  saying,
  type Change,
  type Ending,
  type TaskRecord,
} from './task-record.ts';
import { leftMs, type TaskTable } from './task-table.ts';

/** Makes the call; a question to the client may have it made again. */
export type Run = (context: Context) => MaybePromise<unknown>;

/** How a call that may become a task has ended. */
export type Outcome = { readonly value: unknown } | { readonly thrown: unknown };

/** Where a task is worked on. */
export interface Workplace {
  readonly table: TaskTable;
  /** This process. */
  readonly node: string;
  readonly logger: Logger;
}

/** The request that a call came with; without one, its process has died. */
interface Origin {
  readonly outer?: Exchange | undefined;
  /** Makes the request as its handler sees it, by a link to whoever is to be told. */
  readonly exchange: (params: Params, link: Link) => Exchange;
  readonly params: Params;
}

/** Progress is written down no more often than this. */
const sayEveryMs = 250;
const maxEndings = 10;

/** One call that may become a task, and from then on goes on without its request. */
export class RunningTask {
  readonly taskId: string;
  readonly #workplace: Workplace;
  readonly #exchange: Exchange;
  /** Whom it may tell, as long as somebody waits. */
  readonly #outer: Exchange | undefined;
  #inputs: TaskInputs | undefined;
  #outcome: Outcome | undefined;
  readonly #settled = createDeferred<Outcome>();
  readonly #over = createDeferred<void>();
  #said: string | undefined;
  #saidMs = -Infinity;
  #saying: NodeJS.Timeout | undefined;
  #expiry: NodeJS.Timeout | undefined;
  #unwatch: (() => void) | undefined;
  #held: Hold | undefined;
  #isLeft = false;

  constructor(taskId: string, workplace: Workplace, { outer, exchange, params }: Origin) {
    this.taskId = taskId;
    this.#workplace = workplace;
    this.#outer = outer;
    const own = { ...params, _meta: { ...metaOf(params), progressToken: taskId } };
    this.#exchange = exchange(own, this.#link());
    this.#exchange.inputs = outer?.inputs;
  }

  /** How it ended, if it has. */
  get outcome(): Outcome | undefined {
    return this.#outcome;
  }

  /** Settles when its call has ended. */
  get settled(): Promise<Outcome> {
    return this.#settled.promise;
  }

  /** Settles when what came of it is kept. */
  get over(): Promise<void> {
    return this.#over.promise;
  }

  /** Makes the call. */
  begin(run: Run): void {
    void this.#run(run).then((outcome) => {
      this.#outcome = outcome;
      this.#settled.resolve(outcome);
    });
  }

  /** From now on it is a task: its questions, its progress and what it comes to are kept with it. */
  becomeTask(record: TaskRecord, former: Pick<Inputs, 'missing'>): void {
    this.#inputs = new TaskInputs(former, (change) => this.#change(change));
    this.#exchange.inputs = this.#inputs;
    const { link, weight } = this.#exchange;
    this.#held = link.budget?.hold('calls', weight);
    this.#unwatch = this.#workplace.table.watch(this.taskId, () => this.#look());
    this.#expiry = unref(startTimer(() => this.#look(), leftMs(record)));
    void this.settled.then((outcome) => this.#end(outcome));
  }

  /** Leaves it: whatever comes of it is not kept. */
  #leave(reason: string): void {
    this.#isLeft = true;
    this.#exchange.cancel(reason);
    this.#inputs?.woken();
    this.#letGo();
  }

  async #run(run: Run): Promise<Outcome> {
    for (;;) {
      try {
        return { value: await run(new Context(this.#exchange)) };
      } catch (thrown) {
        // What was asked before it was a task is asked by it; its handler then begins anew.
        const { requests } = thrown instanceof InputNeeded ? thrown : { requests: undefined };
        if (requests === undefined || this.#inputs === undefined) return { thrown };
        const failed = await this.#inputs.ask(requests, this.#exchange).then(
          () => undefined,
          (error: unknown) => ({ thrown: error }),
        );
        if (failed !== undefined) return failed;
      }
    }
  }

  /** What its handler tells: to the client that waits, under the client's own name for it, then as the status of the task. */
  #link(): Link {
    const outer = this.#outer;
    const token = tokenOf(outer);
    return {
      principal: outer?.principal,
      handlers: outer?.link.handlers,
      budget: outer?.link.budget,
      notify: (method, params) => {
        const isProgress = method === 'notifications/progress';
        if (this.#inputs !== undefined) return isProgress ? this.#progress(params) : undefined;
        if (!isProgress) return outer?.notify(method, params);
        if (token === undefined) return undefined;
        return outer?.notify(method, { ...params, progressToken: token });
      },
      request: (method) => Promise.reject(new TypeError(`${method}: nobody waits for a task`)),
    };
  }

  #progress({ message, progress, total }: Params = {}): void {
    const whole = typeof total === 'number' ? ` of ${total}` : '';
    this.#said = typeof message === 'string' ? message : `${Number(progress)}${whole}`;
    const waitMs = this.#saidMs + sayEveryMs - performance.now();
    if (waitMs > 0) this.#saying ??= unref(setTimeout(() => this.#say(), waitMs));
    else this.#say();
  }

  #say(): void {
    this.#saidMs = performance.now();
    this.#saying = undefined;
    const said = this.#said;
    if (said === undefined || this.#outcome !== undefined) return;
    this.#change(saying(said)).catch((error: unknown) => this.#report(error));
  }

  /** Changes the task, unless another process has taken it over meanwhile. */
  async #change(change: Change): Promise<TaskRecord | undefined> {
    const { table, node } = this.#workplace;
    if (this.#isLeft) return undefined;
    const record = await table.change(this.taskId, ownedBy(node, change));
    return record?.owner === node ? record : undefined;
  }

  /** Something has happened to it that its handler must know. */
  #look(): void {
    const { table, node } = this.#workplace;
    table.get(this.taskId).then(
      (record) => {
        const isGone = record === undefined || record.owner !== node || leftMs(record) <= 0;
        if (isGone) this.#leave('the task has expired, or is worked on elsewhere');
        else if (record.isCancelled || isOver(record)) this.#exchange.cancel('cancelled');
        this.#inputs?.woken();
      },
      (error: unknown) => this.#report(error),
    );
  }

  /** Keeps what it has come to, as soon as the store takes it. */
  async #end(outcome: Outcome): Promise<void> {
    const { table } = this.#workplace;
    const backoff = createBackoff({ firstMs: 50 });
    let end = endOf(outcome);
    for (let tries = 1; !this.#isLeft && tries <= maxEndings; tries += 1) {
      try {
        await this.#change(ending(end));
        await table.settle(this.taskId);
        break;
      } catch (error) {
        this.#report(error);
        // It may be what cannot be kept.
        if (tries > maxEndings / 2) end = { error: toErrorObject(error) };
        await pause(backoff.next());
      }
    }
    this.#letGo();
  }

  #letGo(): void {
    clearTimeout(this.#saying);
    clearTimeout(this.#expiry);
    this.#unwatch?.();
    this.#held?.resize(0);
    this.#over.resolve();
  }

  #report(error: unknown): void {
    const { logger } = this.#workplace;
    logger.error('tasks: the store failed', { task: this.taskId, error: describeError(error) });
  }
}

function endOf(outcome: Outcome): Ending {
  if ('thrown' in outcome) return { error: toErrorObject(outcome.thrown) };
  const { value } = outcome;
  const result: unknown = value instanceof Encoded ? JSON.parse(value.json) : value;
  return { result: isRecord(result) ? result : {} };
}

/** Under which name a client wants to hear of progress, if it does. */
function tokenOf(exchange: Exchange | undefined): Id | undefined {
  const token = metaOf(exchange?.message.params)?.['progressToken'];
  return isId(token) ? token : undefined;
}
