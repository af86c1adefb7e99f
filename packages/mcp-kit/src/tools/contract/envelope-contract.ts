import { chain } from '#base';
import type { CallToolResult } from '#protocol';
import { Context } from '#server';
import { runCall, type Call } from '../call.ts';
import { listed, toolMeta, type Entry } from '../entry.ts';
import { listedTraits, manifestOf } from '../manifest/manifest.ts';
import { createTraces, secretsOf, summarise, type Trace } from '../trace/traces.ts';
import { refusePlans, type Contract, type Outcome } from './contract.ts';
import { envelopeSchema, heeded, wrap } from './envelope.ts';

/** Every tool answers with an envelope, is listed with its traits, and leaves a trace. */
export function envelopeContract(version: string): Contract {
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

  return {
    admit: refusePlans,
    listed: (entry) => ({
      ...listed(entry),
      outputSchema: envelopeSchema(entry),
      _meta: { ...toolMeta(entry.tool), ...listedTraits(entry.tool) },
    }),
    call(call, logger) {
      const begun = { atMs: performance.now(), timestamp: new Date().toISOString() };
      return chain(runCall(call, logger), (outcome) => conclude(call, outcome, begun));
    },
    manifest: (entry) => manifestOf(entry, envelopeSchema(entry)),
    traces,
  };
}

interface Begun {
  readonly atMs: number;
  readonly timestamp: string;
}
