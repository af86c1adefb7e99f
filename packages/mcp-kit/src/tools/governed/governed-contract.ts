import { isPromise, KitError, type Logger } from '#base';
import type { Values } from '#store';
import type { CreateContract } from '../contract/contract.ts';
import type { CallLimit } from '../tool.ts';
import { assertAmounts, listed, toolMeta, type Entry } from '../entry.ts';
import type { Finding } from '../lint/lint.ts';
import {
  derivedAnnotations,
  isWriting,
  listedTraits,
  type Manifest,
} from '../manifest/manifest.ts';
import type { TraceSink } from '../trace/trace-sinks.ts';
import { createTraces, type Traces } from '../trace/traces.ts';
import { CallScope } from './call-scope.ts';
import { concludeCall, passOn, refuseCall, type Governed } from './conclusion.ts';
import { validateLayer } from './control-fields.ts';
import { dryRunLayer, type PlanPolicy } from './dry-run.ts';
import { idempotencyLayer, type IdempotencyOptions } from './idempotency.ts';
import { KeyMemory } from './key-memory.ts';
import { orderLayers, type Layer } from './layer.ts';
import { limitLayer } from './limit.ts';
import { createVisibility, permissionLayer, type Permit, type Visible } from './permission.ts';
import { createPlanTokens, type PlanTokenOptions } from './plan-token.ts';
import { prepare, toManifest, type Prepared } from './prepared.ts';
import { runLayer } from './run.ts';
import { timeoutLayer } from './timeout.ts';

/** How a set is governed; nothing is required. */
export interface GovernanceOptions {
  /** Where idempotency keys and used plans are kept; in the memory of this process when absent. */
  readonly store?: { readonly kv: Values } | undefined;
  /** Which layers are listed and callable; only `core` when absent. */
  readonly visible?: Visible | undefined;
  /** Decides about each call. */
  readonly permit?: Permit | undefined;
  /** What one caller may ask for. */
  readonly limit?: CallLimit | undefined;
  /** How long any call may take. */
  readonly timeoutMs?: number | undefined;
  /** Which writes must be planned before they are done; none when absent. */
  readonly requirePlan?: PlanPolicy | undefined;
  readonly plans?: PlanTokenOptions | undefined;
  readonly idempotency?: IdempotencyOptions | undefined;
  /** Layers of your own. */
  readonly layers?: readonly Layer[] | undefined;
  /** Where calls are remembered. */
  readonly traces?: Traces | undefined;
  /** Checks every envelope against the schema it was promised with; for tests, and for the careful. */
  readonly checkResults?: boolean | undefined;
  /** `warn` has the log told what the linter finds (the default, except in production); given a linter, tools with errors are refused. */
  readonly lint?: 'warn' | 'off' | Linter | undefined;
}

/** Finds what is wrong with tools: `lintTools`, or a function that calls it with options. */
type Linter = (manifests: readonly Manifest[]) => readonly Finding[];

/** Every call passes the layers, answers with an envelope and leaves a trace; writes can be tried and repeated. */
export function governed(governance: GovernanceOptions = {}): CreateContract {
  const { timeoutMs, limit, idempotency, plans } = governance;
  assertAmounts('governed', {
    timeoutMs,
    'limit.concurrent': limit?.concurrent,
    'limit.perMinute': limit?.perMinute,
    'idempotency.keepMs': idempotency?.keepMs,
    'idempotency.leaseMs': idempotency?.leaseMs,
    'idempotency.maxKept': idempotency?.maxKept,
    'plans.ttlMs': plans?.ttlMs,
  });
  return (set) => govern(set, governance);
}

function govern(
  { version, logger }: Parameters<CreateContract>[0],
  governance: GovernanceOptions,
): ReturnType<CreateContract> {
  const telemetry = createTelemetry();
  const { traces = createTraces(undefined, telemetry.sink) } = governance;
  const { checkResults = false, visible = ['core'] } = governance;
  const layers = createLayers(governance, logger);
  const known = new WeakMap<Entry, Prepared>();
  const preparedOf = (entry: Entry): Prepared => {
    let prepared = known.get(entry);
    if (prepared === undefined) {
      prepared = prepare(entry, { layers, logger, checkResults });
      known.set(entry, prepared);
    }
    return prepared;
  };
  const versionJson = JSON.stringify(version);
  const shared: Governed = { version, versionJson, logger, traces, preparedOf };
  const manifest = (entry: Entry): Manifest => toManifest(entry, preparedOf(entry));
  return {
    admit: (entry) => void preparedOf(entry),
    review: (entries) => review([...entries].map(manifest), governance.lint, logger),
    ...createVisibility(visible),
    listed(entry) {
      const { inputSchema, outputSchema } = preparedOf(entry);
      const { tool } = entry;
      const annotations = derivedAnnotations(tool);
      const _meta = { ...toolMeta(tool), ...listedTraits(tool) };
      return { ...listed(entry), inputSchema, outputSchema, annotations, _meta };
    },
    call(received) {
      const call = new CallScope(received);
      try {
        const outcome = preparedOf(received.entry).handle(call);
        if (!isPromise(outcome)) return concludeCall(call, outcome, shared);
        return outcome.then(
          (settled) => concludeCall(call, settled, shared),
          (error: unknown) => passOn(call, error, shared),
        );
      } catch (error) {
        return passOn(call, error, shared);
      }
    },
    // What the keys know of the call decides what becomes of it.
    lasting: ({ entry, args }, taskId, store) =>
      governance.store !== undefined && governance.store.kv === store.kv && isWriting(entry)
        ? { idempotencyKey: taskId, ...args }
        : undefined,
    refuse: (error, exchange) => refuseCall(error, exchange, shared),
    manifest,
    warm: telemetry.warm,
    traces,
  };
}

/** Reports to OpenTelemetry where it is installed; looked for only once somebody calls. */
function createTelemetry(): { readonly sink: TraceSink; readonly warm: () => void } {
  let sink: TraceSink | undefined;
  return {
    sink: (trace) => sink?.(trace),
    warm() {
      const loading = import('../trace/trace-sinks.ts');
      whenLoaded(loading, ({ findOpenTelemetry, openTelemetrySink }) => {
        const api = findOpenTelemetry();
        if (api !== undefined) sink = openTelemetrySink(api);
      });
    },
  };
}

function createLayers(governance: GovernanceOptions, logger: Logger): readonly Layer[] {
  const { requirePlan = 'never', layers = [], idempotency = {} } = governance;
  const { maxKept: maxCharacters = 64 * 1024 * 1024, ...keeping } = idempotency;
  const { store = { kv: new KeyMemory({ maxCharacters }) } } = governance;
  const tokens = createPlanTokens(governance.plans);
  return orderLayers(
    {
      limit: limitLayer(governance.limit),
      validate: validateLayer,
      permission: permissionLayer(governance.permit),
      timeout: timeoutLayer(governance.timeoutMs),
      idempotency: idempotencyLayer({ ...keeping, store, logger }),
      'dry run': dryRunLayer({ tokens, requirePlan, store, logger }),
      run: runLayer,
    },
    layers,
  );
}

/** Uses what no call needs, once it is there. */
function whenLoaded<T>(loading: Promise<T>, use: (loaded: T) => void): void {
  // No call depends on it, so none must suffer from it.
  void loading.then(use).catch(() => undefined);
}

function review(
  manifests: readonly Manifest[],
  lint: GovernanceOptions['lint'],
  logger: Logger,
): void {
  const wanted = lint ?? (process.env['NODE_ENV'] === 'production' ? 'off' : 'warn');
  if (wanted === 'off') return;
  const tell = (findings: readonly Finding[]): void => {
    for (const { tool, rule, message } of findings) logger.warn(`${tool}: ${message}`, { rule });
  };
  if (wanted === 'warn') {
    whenLoaded(import('../lint/lint.ts'), ({ lintTools }) => tell(lintTools(manifests)));
    return;
  }
  const findings = wanted(manifests);
  tell(findings);
  const [first] = findings.filter(({ level }) => level === 'error');
  if (first === undefined) return;
  throw new KitError('invalid_argument', `${first.tool}: ${first.message}`, { hint: first.hint });
}
