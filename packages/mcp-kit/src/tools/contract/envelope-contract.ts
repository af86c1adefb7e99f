import { isPromise } from '#base';
import type { CallToolResult } from '#protocol';
import { Context } from '#server';
import { runCall, type Call } from '../call.ts';
import { refusePlans, type Contract, type Registry } from './contract.ts';
import { diagnosticMethods, diagnosticTools, type Diagnosis } from '../diagnostics.ts';
import { listed, type Entry } from '../entry.ts';
import { envelopeSchema, heeded, wrap } from './envelope.ts';
import { listedTraits, traitsOf, type Manifest } from '../manifest/manifest.ts';
import type { Outcome } from './result.ts';
import { secretsOf } from '../secrets.ts';
import { createTraces, pickTrace, summarise, timestampNow, type Trace } from '../trace/traces.ts';

/** Every tool answers with an envelope, is listed with its traits, and leaves a trace. */
export function envelopeContract(registry: Registry, version: string): Contract {
  const traces = createTraces();
  const secrets = new WeakMap<Entry, (name: string) => boolean>();
  const isSecret = (entry: Entry): ((name: string) => boolean) => {
    const known = secrets.get(entry) ?? secretsOf(entry.input.json);
    secrets.set(entry, known);
    return known;
  };

  const conclude = (call: Call, ended: Outcome, begun: Begun): CallToolResult => {
    const { entry, args, context } = call;
    const outcome = heeded(ended, entry);
    const durationMs = Math.round(performance.now() - begun.atMs);
    const { traceId } = context;
    const { timestamp } = begun;
    const tool = entry.tool.name;
    const trace: Trace = {
      traceId,
      tool,
      timestamp,
      durationMs,
      success: outcome.ok,
      errorCode: outcome.ok ? null : outcome.failure.code,
      argsSummary: summarise(args, isSecret(entry)),
    };
    traces.add(trace, context.principal, Context.exchangeOf(context).principal ?? '');
    return wrap(outcome, entry, { traceId, tool, version, durationMs, timestamp });
  };

  const diagnosis: Diagnosis = {
    manifest(name) {
      const entry = registry.get(name);
      return entry && toManifest(entry);
    },
    manifests: () => [...registry.values()].map(toManifest),
    trace: (traceId, { principal }) => traces.find(traceId, principal),
    pick: (which, { principal }) => pickTrace(traces.list({ principal }), which),
  };

  return {
    admit: refusePlans,
    listed: (entry) => ({
      ...listed(entry),
      outputSchema: envelopeSchema(entry),
      _meta: { ...entry.tool._meta, ...listedTraits(entry.tool) },
    }),
    call(call, logger) {
      const begun = { atMs: performance.now(), timestamp: timestampNow() };
      const outcome = runCall(call, logger);
      return isPromise(outcome)
        ? outcome.then((settled) => conclude(call, settled, begun))
        : conclude(call, outcome, begun);
    },
    manifest: toManifest,
    tools: diagnosticTools(diagnosis),
    legacyMethods: diagnosticMethods(diagnosis),
  };
}

interface Begun {
  readonly atMs: number;
  readonly timestamp: string;
}

function toManifest(entry: Entry): Manifest {
  const { tool, input } = entry;
  const { name, description } = tool;
  const outputSchema = envelopeSchema(entry);
  return { name, description, ...traitsOf(tool), inputSchema: input.json, outputSchema };
}
