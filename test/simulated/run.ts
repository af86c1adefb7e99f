// The code by which nodes take over each other's streams, as it is, in a simulated world: several processes over one store, whose
// calls say things while processes stop, go on and die, and while clients are cut and come back anywhere.
import assert from 'node:assert/strict';
import { silentLogger } from 'mcp-kit/internal';
import { createMemoryStore, type Store } from 'mcp-kit/store';
import { noteIn } from '../../packages/mcp-kit/src/transport/http/events.ts';
import type { PacedStream } from '../../packages/mcp-kit/src/transport/http/paced-stream.ts';
import { profiles } from '../../packages/mcp-kit/src/transport/http/profile.ts';
import { isAnswer } from '../../packages/mcp-kit/src/transport/http/sessions/lost-stream.ts';
import { Nodes } from '../../packages/mcp-kit/src/transport/http/sessions/nodes.ts';
import {
  giveUp,
  SessionStreams,
} from '../../packages/mcp-kit/src/transport/http/sessions/session-streams.ts';
import { readAll, startProcess, type Bug, type Process } from './faults.ts';
import { createWorld, inTime, type World } from './world.ts';

const leaseMs = 3000;
/** What has not come to an end so long after the last fault never does. */
const endMs = 30_000;
/** What a call may say has been said by then, also where its process was stopped for the longest time. */
const saidMs = 34_000;
const session = 'session';

/** What a client holds of a stream: what a server writes on goes here. */
class Wire {
  open = true;
  readonly congested = false;
  readonly #closed: (() => void)[] = [];
  readonly #heard: (text: string) => void;

  constructor(heard: (text: string) => void) {
    this.#heard = heard;
  }

  write(text: string): void {
    if (this.open) this.#heard(text);
  }

  drained = async (): Promise<void> => {};

  onClose(listener: () => void): void {
    this.#closed.push(listener);
  }

  end(): void {
    if (!this.open) return;
    this.open = false;
    for (const listener of this.#closed) listener();
  }

  cut(): void {
    this.end();
  }
}

interface Node {
  readonly process: Process;
  readonly streams: SessionStreams;
}

function startNode(
  world: World,
  shared: Store,
  { at, bug }: { at: number; bug: Bug | undefined },
): Node {
  const process = startProcess(world, shared, bug);
  const { store } = process;
  const logger = silentLogger;
  const common = { log: store.log, logger, retryMs: 1000, retainMs: 300_000 };
  const nodes = new Nodes(
    { store, id: `0000000${at}`, endpoint: '', logger, leaseMs },
    (notice) => {
      if (!('follows' in notice)) return;
      const isHere = streams.follow(notice.follows, !notice.isOver);
      if (!isHere && !notice.isOver)
        giveUp({ ...common, place: { nodes } as never }, session, notice.follows);
    },
  );
  const streams = new SessionStreams({
    sessionId: session,
    shared: { ...common, profile: profiles.spec },
    nodes,
    lives: at,
  });
  void nodes.join();
  return { process, streams };
}

/** One call, from what its server says to what its client hears. */
class Call {
  isAnswered = false;
  readonly #world: World;
  readonly #nodes: readonly Node[];
  readonly #shared: Store;
  readonly #owner: Node;
  readonly #heard: { readonly position: number; readonly data: string }[] = [];
  #key = '';
  #lastId = '';
  #wire: Wire | undefined;
  /** Who has the other end of it. */
  #server: Node;
  #isComing = false;
  /** What was found first: what is thrown within the code that is tried might be taken for a fault of something else. */
  #wrong: string | undefined;

  constructor(world: World, nodes: readonly Node[], shared: Store) {
    this.#world = world;
    this.#nodes = nodes;
    this.#shared = shared;
    this.#owner = world.pick(nodes.filter(({ process }) => process.state === 'running'));
    this.#server = this.#owner;
    const stream = this.#owner.streams.create(['call']);
    this.#wire = this.#newWire();
    stream.attach(this.#wire as unknown as PacedStream, 0);
    stream.prime();
    let atMs = 0;
    for (let message = world.below(6); message >= 0; message -= 1) {
      const text = JSON.stringify({ jsonrpc: '2.0', method: 'said', params: { message } });
      const isLast = message === 0;
      const answer = JSON.stringify({ jsonrpc: '2.0', id: 'call', result: {} });
      atMs += world.below(4000);
      world.after(atMs, () =>
        this.#owner.process.work(() => void (isLast ? stream.finish(answer) : stream.emit(text))),
      );
    }
  }

  get isOver(): boolean {
    return this.isAnswered || (this.#lastId === '' && this.#wire?.open === false);
  }

  /** Its client loses its connection; with a node, where that is the one at its other end. */
  cut(server = this.#server): void {
    if (server === this.#server) this.#wire?.end();
  }

  #newWire(): Wire {
    const wire: Wire = new Wire((text) => {
      for (const event of text.split('\n\n')) this.#hear(event, wire);
    });
    wire.onClose(() => this.#comeBack(wire));
    return wire;
  }

  #hear(event: string, wire: Wire): void {
    const [, id] = /^id: (.*)$/m.exec(event) ?? [];
    if (id === undefined) return;
    this.#expect(wire === this.#wire, 'an event came on a connection that was given up');
    const [, number = '', position = ''] = /^(\d+)\.(\d+)$/.exec(id) ?? [];
    this.#key = `events/${session}/${number}`;
    const [, data = ''] = /^data: (.*)$/m.exec(event) ?? [];
    const last = this.#heard.at(-1)?.position ?? 0;
    this.#expect(Number(position) > last, `event ${id} came after ${last}`);
    const kept = readAll(this.#shared, this.#key).find(
      (entry) => entry.position === Number(position),
    );
    this.#expect(kept?.data === data, `event ${id} came and is not in the log`);
    this.#heard.push({ position: Number(position), data });
    this.#lastId = id;
    if (isAnswer(data)) this.isAnswered = true;
  }

  /** Comes back somewhere, until it has the answer. */
  #comeBack(wire: Wire): void {
    // Who has heard nothing has nothing to come back with.
    if (this.isOver || wire !== this.#wire || this.#isComing) return;
    this.#isComing = true;
    this.#world.after(this.#world.below(2000), () => {
      this.#isComing = false;
      const running = this.#nodes.filter(({ process }) => process.state === 'running');
      if (running.length === 0) return this.#comeBack(wire);
      void this.#resume(this.#world.pick(running), wire);
    });
  }

  async #resume(node: Node, former: Wire): Promise<void> {
    const { streams, process } = node;
    const timer = this.#world.after(5000, () => this.#comeBack(former));
    const found = await streams.locate(this.#lastId);
    timer();
    if (former !== this.#wire || process.state !== 'running') return this.#comeBack(former);
    this.#expect(found !== undefined, `event ${this.#lastId} is not known any more`);
    if (found === undefined) return;
    this.#wire = this.#newWire();
    this.#server = node;
    const isOver = found.stream.endsAt(found.after);
    this.#expect(!isOver || this.isAnswered, 'it ended without an answer');
    if (!isOver) found.stream.attach(this.#wire as unknown as PacedStream, found.after);
  }

  #expect(isSo: boolean, otherwise: string): void {
    if (!isSo) this.#wrong ??= otherwise;
  }

  /** What must be so when all is over. */
  check(lost: ReadonlySet<Node>): void {
    assert.equal(this.#wrong, undefined);
    if (this.#lastId === '') return;
    assert.ok(this.isAnswered, `the call never ended; ${this.#lastId} was the last that came`);
    const entries = readAll(this.#shared, this.#key).filter(
      ({ data }) => noteIn(data) === undefined,
    );
    const answers = entries.filter(({ data }) => isAnswer(data));
    assert.equal(answers.length, 1, 'there is more than one answer');
    assert.equal(entries.at(-1), answers[0], 'something was said after the answer');
    const heard = this.#heard.map(({ data }) => data);
    assert.deepEqual(
      heard,
      entries.map(({ data }) => data),
      'its client did not hear all, once',
    );
    const isLost = answers[0]?.data.includes('E_OWNER_LOST') === true;
    assert.ok(!isLost || lost.has(this.#owner), 'a call was given up whose node was there');
  }
}

/** Stops, wakes and ends processes; gives which were away for so long that others may take over. */
function disturb(world: World, nodes: readonly Node[], call: Call): ReadonlySet<Node> {
  const lost = new Set<Node>();
  for (let faults = world.below(4); faults > 0; faults -= 1) {
    const node = world.pick(nodes);
    const { process } = node;
    world.after(world.below(10_000), () => {
      if (process.state !== 'running') return;
      // One is always left.
      const isKilled =
        world.oneIn(2) &&
        nodes.some((other) => other !== node && other.process.state === 'running');
      const forMs = world.below(2 * leaseMs);
      process.state = isKilled ? 'gone' : 'stopped';
      if (isKilled) lost.add(node);
      // Its connections end with it.
      if (isKilled) call.cut(node);
      if (forMs > leaseMs / 3) lost.add(node);
      if (!isKilled) world.after(forMs, () => process.go());
    });
  }
  return lost;
}

/** One run. Throws what was found. */
export async function simulate(seed: number, bug?: Bug): Promise<void> {
  const world = createWorld(seed);
  const shared = createMemoryStore({ now: () => world.nowMs() });
  await inTime(world, async () => {
    const nodes = [1, 2, 3].map((at) => startNode(world, shared, { at, bug }));
    await world.pass(200, () => false);
    const call = new Call(world, nodes, shared);
    const lost = disturb(world, nodes, call);
    for (let cuts = world.below(6); cuts > 0; cuts -= 1)
      world.after(world.below(12_000), () => call.cut());
    const isOver = await world.pass(saidMs + endMs, () => call.isOver);
    // What the owner may still say has been said by then.
    if (isOver) await world.pass(saidMs - world.nowMs(), () => false);
    call.check(lost);
  });
  shared.close();
}
