import fs from 'node:fs';
import path from 'node:path';
import type { ManagedConfig, Manager, Receipt, ServerEntry } from '@mcp-kit/host';
import { approve, trustSystem } from '@mcp-kit/host/internal';
import { stateFolder } from 'mcp-kit/internal';
import { home, type Globals } from '../globals.ts';
import { managed, managerFor, onTerminal, warnBefore } from '../manager.ts';
import type { Run, UseManager } from '../open.ts';
import { told, watching } from '../watching.ts';
import { createWitness, type Witness } from '../witness.ts';

/** What a server was when its session was opened. */
interface Seen {
  readonly print: string;
  /** The tools of its approval, once there are any. */
  readonly tools: string | undefined;
}

interface Kept {
  readonly manager: Manager;
  readonly client: string;
  readonly seen: Map<string, Seen>;
  /** What was seen of its servers beside their answers. */
  readonly witness: Witness;
}

/** How many kinds of calls, by their options, have servers kept open for them. */
const maxKept = 16;

/** Managers that stay open from call to call. Before each, all that a call looks at is looked at again. */
export function keptManagers(): { readonly use: UseManager; close(): Promise<void> } {
  const kept = new Map<string, Kept>();
  const drop = async (key: string): Promise<void> => {
    const one = kept.get(key);
    kept.delete(key);
    await one?.manager.close();
  };
  const find = async ({ globals, server }: Run, config: ManagedConfig): Promise<Kept> => {
    const key = JSON.stringify([globals, server]);
    const client = JSON.stringify(config.client ?? {});
    if (kept.get(key)?.client !== client) await drop(key);
    const known = kept.get(key);
    if (known !== undefined) {
      await known.manager.reload(config);
      return known;
    }
    const [oldest] = kept.keys();
    if (kept.size >= maxKept && oldest !== undefined) await drop(oldest);
    const witness = createWitness();
    const manager = managerFor(globals, config, {
      ...onTerminal(globals, server),
      ...watching(globals, witness),
    });
    const made = { manager, client, witness, seen: new Map<string, Seen>() };
    kept.set(key, made);
    return made;
  };
  return {
    async use(run, work) {
      const { globals } = run;
      const config = run.config ?? (await managed(globals, run.server));
      warnBefore(globals, config);
      const { manager, seen, witness } = await find(run, config);
      const { entries } = config;
      const entry = config.entries.find(({ name }) => name === run.server);
      if (entry !== undefined) await lookAgain(entry, { manager, seen, globals });
      return told({ ...run, witness }, entries, () => work({ manager, entries, witness }));
    },
    async close() {
      await Promise.all([...kept.keys()].map(drop));
    },
  };
}

/** Ends the session with a server that is not what it was: what it runs, its approval, or the logins have changed. */
async function lookAgain(
  entry: ServerEntry,
  { manager, seen, globals }: Pick<Kept, 'manager' | 'seen'> & { readonly globals: Globals },
): Promise<void> {
  const { name } = entry;
  const now = await seeNow(entry, manager, globals);
  const before = seen.get(name);
  const isSame =
    before?.print === now.print && (before.tools === undefined || before.tools === now.tools);
  if (before !== undefined && !isSame) await manager.disconnect(name);
  seen.set(name, now);
}

async function seeNow(entry: ServerEntry, manager: Manager, globals: Globals): Promise<Seen> {
  const { receipt, ...trust } = await manager.trustOf(entry.name);
  const { tools, ...approved } = receipt ?? (await runsNow(entry, globals));
  return {
    print: JSON.stringify([trust, approved, loginsNow()]),
    tools: tools && JSON.stringify(tools),
  };
}

/** What a server that nobody has approved runs; of the others the approval has it, and it was compared. */
async function runsNow(entry: ServerEntry, { root }: Globals): Promise<Partial<Receipt>> {
  const context = { env: process.env, workspaceFolder: root, userHome: home() };
  try {
    const { approvedAt: _, ...rest } = await approve(entry, trustSystem(context), { by: '' });
    return rest;
  } catch {
    // It cannot be found: starting it says so.
    return {};
  }
}

/** When tokens were last written; whoever has logged out is not let in any more. */
function loginsNow(): readonly unknown[] {
  const file = path.join(stateFolder(process.env), 'credentials.json');
  const { mtimeMs, size } = fs.statSync(file, { throwIfNoEntry: false }) ?? {};
  return [mtimeMs, size];
}
