import type { LoadedConfig, Manager, ServerEntry } from '@mcp-kit/host';
import { usageError, type OptionValues } from '../args.ts';
import { defineCommand, type Invocation } from '../command.ts';
import { noServers, readConfig } from '../config.ts';
import { exitCodes } from '../exit-code.ts';
import { loggerOf } from '../logs.ts';
import { withManager } from '../open.ts';
import { tell } from '../output.ts';
import { isAttended } from '../setup/change.ts';
import { plainLine } from '../terminal/plain-text.ts';
import { groupsOf } from '../up/groups.ts';
import { upGroups, upOptions } from '../up/options.ts';
import { overhear, type Overhearing } from '../up/overhear.ts';
import { readUpPlan, type UpPlan } from '../up/plan.ts';

/** Nobody speaks with the standard input of a service. */
function requireService({ install, uninstall, stdio }: OptionValues<typeof upOptions>): void {
  const [one, other] = [
    stdio && '--stdio',
    install && '--install',
    uninstall && '--uninstall',
  ].filter(Boolean);
  if (other === undefined) return;
  throw usageError(`${one} and ${other} exclude each other`, 'Leave out one of them.');
}

export const up = defineCommand({
  scope: 'config',
  options: upOptions,
  groups: upGroups,
  examples: [
    { command: 'mcpctl up', about: 'Serve all servers of the configuration at one URL.' },
    { command: 'mcpctl up --import', about: 'First copy those of your other programs.' },
    { command: 'mcpctl up --stdio', about: 'For a host that only starts programs.' },
    { command: 'mcpctl up --stdio --group reading', about: 'Only a group of them.' },
    { command: 'mcpctl up --install', about: 'Have it run whenever you are logged in.' },
    { command: 'mcpctl up --port 0 --json', about: 'Let a script learn the port.' },
  ],
  notes: [
    'Tools and prompts are named SERVER__NAME. Only servers that you have approved are used: mcpctl trust approve SERVER. On a terminal it asks.',
    'Without any server it serves two that come with it, to try things with.',
    'When the configuration changes, what has changed is taken over, and the rest is not disturbed.',
    'It ends with 0 when its client hangs up or it is told to stop, with 2 when the command line is wrong.',
    'The full story: docs/gateway.md',
  ],
  endsItself: true,
  async run({ values, globals, stop }) {
    const plan = await readUpPlan(values, globals);
    const { install, uninstall, yes, 'dry-run': dryRun } = values;
    if (install || uninstall) {
      requireService(values);
      const { changeService } = await import('../service/install.ts');
      const what = install ? 'install' : 'uninstall';
      return changeService({ what, name: plan.name, yes, dryRun, globals, stop });
    }
    if (dryRun && !values.import) {
      throw usageError('--dry-run is for what would be written', 'Add --import or --install.');
    }
    const isWatched = plan.consolePort !== undefined;
    const heard = await overhear(globals, { record: values.record, isWatched });
    const asked = { globals, stop, plan, heard };
    try {
      if (values.sample === true) await runSamples(asked);
      else {
        const config = await configOf(asked, values);
        if (!dryRun) await runConfigured(config, asked);
      }
    } finally {
      await heard.close();
    }
    return exitCodes.ok;
  },
});

interface Asked extends Pick<Invocation, 'globals' | 'stop'> {
  readonly plan: UpPlan;
  readonly heard: Overhearing;
}

/** The configuration, after what there is to import was offered. */
async function configOf(
  { globals, stop, plan }: Asked,
  values: OptionValues<typeof upOptions>,
): Promise<LoadedConfig> {
  const config = await readConfig(globals);
  const { importable, importServers } = await import('../up/import.ts');
  const found = importable(config, globals);
  const { yes, 'dry-run': dryRun } = values;
  const isWanted = values.import === true || (found.isAll && mayAsk({ globals, plan }));
  if (isWanted) {
    if (await importServers(found, { globals, stop, yes, dryRun })) return readConfig(globals);
  } else if (found.isAll && !globals.quiet && plan.place.kind !== 'stdio') {
    const from = found.from.join(', ');
    tell(plainLine(`these are servers of ${from}. Keep them as your own: mcpctl up --import`));
  }
  return config;
}

/** Whether there is somebody to ask: standard input may be that of a client. */
function mayAsk({ globals, plan }: Pick<Asked, 'globals' | 'plan'>): boolean {
  return isAttended() && !globals.json && plan.place.kind !== 'stdio';
}

async function runConfigured(config: LoadedConfig, asked: Asked): Promise<void> {
  const { globals, stop, plan, heard } = asked;
  const { isOwnGateway } = await import('../up/own.ts');
  const own = config.entries.filter((entry) => isOwnGateway(entry, plan.place));
  for (const { name } of own) {
    tell(plainLine(`${name} leads to this gateway, and is not one of its servers`));
  }
  if (config.gateway.policy?.some(({ isUnread }) => isUnread)) {
    tell('nothing may be used until that is right: it may have a policy, and that cannot be read');
  }
  const entries = config.entries.filter((entry) => !own.includes(entry));
  if (entries.length === 0) {
    if (globals.configFile !== undefined) throw noServers(globals, config);
    await runSamples(asked);
    return;
  }
  const { more, ...overheard } = heard;
  await withManager({ globals, stop, more, config: { ...config, entries } }, async (opened) => {
    const { manager } = opened;
    const { runUp } = await import('../up/run.ts');
    const groups = groupsOf(manager.gatewaySettings, plan.options.group);
    const served = entries.filter(({ enabled, name }) => enabled && groups.isServed(name));
    if (mayAsk(asked)) await askForApprovals(manager, served, asked);
    const names = served.map(({ name }) => name).sort();
    const logger = loggerOf(globals);
    const front = { globals, logger, stop, names, groups: groups.names };
    await runUp(manager, { ...plan, ...front, ...overheard });
  });
}

/** Whoever starts it is asked about each server that is not approved. */
async function askForApprovals(
  manager: Manager,
  entries: readonly ServerEntry[],
  { globals, stop }: Asked,
): Promise<void> {
  const { offerApproval } = await import('./trust/offer.ts');
  const { userName } = await import('./trust/view.ts');
  for (const entry of entries) {
    const { verdict, changes } = await manager.trustOf(entry.name);
    if (verdict === 'trusted') continue;
    if (await offerApproval(entry, { globals, stop, changes })) {
      await manager.approve(entry.name, { by: userName(), pin: false });
    }
  }
}

async function runSamples({ globals, stop, plan, heard }: Asked): Promise<void> {
  const { openSamples } = await import('../up/samples.ts');
  const { runUp } = await import('../up/run.ts');
  const logger = loggerOf(globals);
  await using samples = await openSamples(logger);
  const { manager, names, firstTool, more } = samples;
  const told = { firstTool, more };
  const front = { globals, logger, stop, names, groups: [], told, isFixed: true };
  await runUp(manager, { ...plan, ...front, ...heard });
}
