import path from 'node:path';
import { KitError } from 'mcp-kit/internal';
import type { ServerEntry, TextRecord } from '../config/entry.ts';
import { interpolate, type InterpolationContext } from '../config/interpolate.ts';
import { createEgress, type Egress } from '../egress/egress.ts';
import type { EgressPolicy } from '../egress/policy.ts';
import { assess, type Assessment, type Known, type TrustSystem } from '../trust/assess.ts';
import { showChange } from '../trust/diff.ts';
import { launchOf } from '../trust/executable.ts';
import { lockPath, readLock, readReceipts, receiptFor } from '../trust/receipts-file.ts';
import { untrustedRules } from '../trust/rules.ts';
import { changedHint } from '../trust/trust-command.ts';

/** Who may be connected to, and with what. */
export interface AdmissionRules {
  /** `trusted`: every server is, whatever the receipts say. */
  readonly trust: 'untrusted' | 'trusted';
  /** What a server that is not trusted may reach. */
  readonly policy: Partial<EgressPolicy>;
  /** The file of this user's approvals; false when none count. */
  readonly receipts: string | false;
  readonly context: InterpolationContext;
}

/** A server that may be used: its texts are final. */
export interface Admitted {
  readonly entry: ServerEntry;
  /** The file of its program, where that was looked at: what was approved is what is started. */
  readonly program?: string | undefined;
  /** The only way out for one that is not trusted. */
  readonly egress?: Egress | undefined;
  /** What its tools are held to. */
  readonly known: Known;
}

/** What the assessment looks at on this machine. */
export function trustSystem(context: InterpolationContext): TrustSystem {
  return {
    launchOf: (entry) => {
      if (entry.transport.kind !== 'stdio') return undefined;
      const { transport } = interpolate(entry as ServerEntry, context).entry;
      if (transport.kind !== 'stdio') return undefined;
      // The child gets the PATH of this process, whatever variables resolve with.
      return launchOf(transport, { cwd: context.workspaceFolder, env: process.env });
    },
    caFileOf: (entry) => {
      const { transport } = entry as ServerEntry;
      const caFile = transport.kind === 'http' ? transport.caFile : undefined;
      return caFile === undefined ? undefined : path.resolve(context.workspaceFolder, caFile);
    },
  };
}

/** What is known of a server from before. Files that cannot be believed are errors: nothing is approved then. */
export async function recall(entry: ServerEntry, receipts: string | false): Promise<Known> {
  const { file } = entry.provenance;
  const [given, pins] = await Promise.all([
    receipts === false ? undefined : readReceipts(receipts),
    file === '' ? undefined : readLock(lockPath(file)),
  ]);
  return { receipt: given && receiptFor(given, entry), pin: pins?.get(entry.name) };
}

/** Lets a server pass, or throws why it may not be used; `assessed` is told the verdict in either case. */
export async function admit(
  entry: ServerEntry,
  admission: AdmissionRules,
  assessed: (verdict: Assessment['verdict']) => void,
): Promise<Admitted> {
  const { context, policy } = admission;
  if (admission.trust === 'trusted') {
    assessed('trusted');
    return { entry: resolved(entry, context), known: {} };
  }
  const known = await recall(entry, admission.receipts);
  const { verdict, changes, program } = await assess(entry, known, trustSystem(context));
  assessed(verdict);
  if (verdict === 'trusted') {
    return { entry: resolved(entry, context), program, known };
  }
  if (verdict === 'changed') {
    throw new KitError('refused_by_policy', `mcp server ${entry.name} is not what was approved`, {
      hint: changedHint(entry.name),
      details: { ran: false, changes: changes.map(showChange) },
    });
  }
  const [first, ...others] = untrustedRules(entry, policy);
  if (first !== undefined) throw withOthers(first, others);
  const egress = createEgress(policy, { server: entry.name });
  return {
    entry: resolved(entry, withoutSecrets(context)),
    egress,
    known: { pin: known.pin },
  };
}

/** A server as far as it is named: for what asks nothing of it, whether it may be used or not. */
export async function admitByName(
  entry: ServerEntry,
  admission: AdmissionRules,
): Promise<Admitted> {
  try {
    return await admit(entry, admission, () => {});
  } catch (error) {
    if (!(error instanceof KitError) || error.code !== 'refused_by_policy') throw error;
    const egress = createEgress(admission.policy, { server: entry.name });
    return { entry: resolved(entry, admission.context), egress, known: {} };
  }
}

function resolved(entry: ServerEntry, context: InterpolationContext): ServerEntry {
  // What somebody typed was resolved by their shell.
  return entry.provenance.file === '' ? entry : interpolate(entry, context).entry;
}

/** The rules let no reference through; should one be missed, there is nothing that it could lead to. */
function withoutSecrets(context: InterpolationContext): InterpolationContext {
  const nothing: TextRecord = {};
  return { workspaceFolder: path.resolve(context.workspaceFolder), env: nothing };
}

function withOthers(first: KitError, others: readonly KitError[]): KitError {
  if (others.length === 0) return first;
  const also = others.map(({ message }) => message);
  const details = { ...first.details, also };
  return new KitError(first.code, first.message, { hint: first.hint, details });
}
