import { existsSync } from 'node:fs';
import { mkdir, readFile, rm } from 'node:fs/promises';
import path from 'node:path';
import { KitError, replaceFile } from 'mcp-kit/internal';
import { usageError } from '../args.ts';
import { exitCodes } from '../exit-code.ts';
import { home, type Globals } from '../globals.ts';
import { print, printJson } from '../output.ts';
import { agreedTo } from '../setup/change.ts';
import { plainField } from '../terminal/plain-text.ts';
import { isOwn, serviceFor, type ServiceKind } from './unit.ts';

/** What is to become of the service. */
export interface Installing {
  readonly what: 'install' | 'uninstall';
  readonly name: string | undefined;
  readonly yes: boolean | undefined;
  readonly dryRun: boolean | undefined;
  readonly globals: Globals;
  readonly stop: AbortSignal;
}

/** Words of the command line that are not for the service. */
const notForService: ReadonlySet<string> = new Set([
  '--install',
  '--uninstall',
  '--dry-run',
  '--yes',
  '-y',
  '--json',
]);

/** Writes or removes the file of a user service that runs this very command, and says how to begin or end it. */
export async function changeService(installing: Installing): Promise<number> {
  const { what, yes, dryRun, globals, stop } = installing;
  const service = serviceOf(installing);
  const before = await readFile(service.file, 'utf8').catch(() => undefined);
  if (before !== undefined && !isOwn(before)) throw notOwn(service, what);
  const after = what === 'install' ? service.text : undefined;
  if (what === 'uninstall') requireOff(service);
  const isChange = before !== after;
  const change = { file: service.file, before, after, secrets: [] };
  const agreed = isChange && (await agreedTo([change], { yes, dryRun, globals, stop }));
  if (agreed) await write(service.file, after);
  const next = what === 'install' ? service.start : undefined;
  if (globals.json) printJson({ file: service.file, changed: agreed, next });
  else print(said(service, { what, isChange, agreed }).map(plainField).join('\n'));
  return exitCodes.ok;
}

function serviceOf({ name }: Installing): ServiceKind {
  if (process.platform === 'win32') {
    throw usageError(
      'there are no user services of this kind on Windows',
      'Let the task scheduler start mcpctl up when you log on.',
    );
  }
  if (name !== undefined && !/^[\w.-]{1,64}$/.test(name)) {
    throw usageError(
      `--name ${JSON.stringify(name)} cannot name a service`,
      'Use letters, digits, dots, dashes and underscores.',
    );
  }
  const [script = '', ...words] = process.argv.slice(1);
  const own = words.filter((word) => !notForService.has(word));
  const { PATH = '/usr/local/bin:/usr/bin:/bin' } = process.env;
  const program = {
    name: name === undefined ? 'mcpctl-up' : `mcpctl-up-${name}`,
    argv: [process.execPath, path.resolve(script), ...own],
    folder: process.cwd(),
    path: PATH,
  };
  return serviceFor(program, { platform: process.platform, home: home(), env: process.env });
}

function notOwn({ file }: ServiceKind, what: Installing['what']): KitError {
  const done = what === 'install' ? 'overwritten' : 'removed';
  return new KitError('invalid_config', `${file} is not as mcpctl has written it`, {
    hint: `It is not ${done}. Move it away, or choose another --name.`,
  });
}

/** What is switched on would go on to be looked for. */
function requireOff({ enabled, stop }: ServiceKind): void {
  if (enabled === undefined || !existsSync(enabled)) return;
  throw new KitError('invalid_argument', 'the service is switched on', {
    hint: `First: ${stop}`,
  });
}

async function write(file: string, text: string | undefined): Promise<void> {
  if (text === undefined) return rm(file);
  await mkdir(path.dirname(file), { recursive: true });
  await replaceFile(file, text, 0o644);
}

function said(
  { file, start, stop }: ServiceKind,
  { what, isChange, agreed }: { what: Installing['what']; isChange: boolean; agreed: boolean },
): readonly string[] {
  if (what === 'uninstall') {
    if (!isChange) return [`there is no ${file}`];
    return [agreed ? `${file} is removed` : 'nothing was removed'];
  }
  if (isChange && !agreed) return ['nothing was written'];
  return [
    isChange ? `${file} is written` : `${file} is there already`,
    'Begin, now and at every login:',
    `  ${start}`,
    'End:',
    `  ${stop}`,
  ];
}
