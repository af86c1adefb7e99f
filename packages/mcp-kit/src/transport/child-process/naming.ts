import { hideSecrets, isSecretName } from '#base';
import type { EnvironmentOptions } from './environment.ts';

interface Command extends EnvironmentOptions {
  readonly command: string;
  readonly args?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
}

const maxLabel = 60;

/** Of a command line rather too little is shown. */
const isTelling = (name: string): boolean => isSecretName(name) || /key|auth/i.test(name);

/** Names a command in messages: its beginning, without what looks like a secret. */
export function labelOf({ command, args = [] }: Command): string {
  const shown = args.slice(0, 3).map((arg, at) => {
    const before = args[at - 1] ?? '';
    if (before.startsWith('-') && !before.includes('=') && isTelling(before)) return '…';
    return withoutSecrets(arg);
  });
  const text = [command, ...shown].join(' ').replaceAll(/\p{Cc}/gu, ' ');
  const whole = args.length > shown.length ? `${text} …` : text;
  return whole.length > maxLabel ? `${whole.slice(0, maxLabel - 1)}…` : whole;
}

/** Nothing either of `Name: value` where the name tells of a secret, nor of the query of an address. */
function withoutSecrets(arg: string): string {
  const [, name, mark] = /^([^=:\s]+)([=:])/.exec(arg) ?? [];
  if (name !== undefined && isTelling(name)) return `${name}${mark}…`;
  return hideSecrets(arg, '…').replaceAll(/(\w:\/\/[^\s?]*\?)\S+/g, '$1…');
}

/** The same for the same command in the same place; arguments and environment, often secret, only as a sum. */
export function keyOf(options: Command): string {
  const { command, args = [], cwd = process.cwd(), env = {}, inheritEnv = false } = options;
  const variables = Object.entries(env).sort(([a], [b]) => (a < b ? -1 : 1));
  return `child ${command} ${sumOf(JSON.stringify([command, args, cwd, variables, inheritEnv]))}`;
}

/** 64 bits, by FNV-1a from two beginnings: to tell texts apart, not to keep them secret. */
function sumOf(text: string): string {
  let low = 0x81_1c_9d_c5;
  let high = 0x5b_d1_e9_95;
  for (let at = 0; at < text.length; at++) {
    const unit = text.charCodeAt(at);
    low = Math.imul(low ^ unit, 0x01_00_01_93);
    high = Math.imul(high ^ unit ^ (low >>> 15), 0x01_00_01_93);
  }
  return [high, low].map((half) => (half >>> 0).toString(16).padStart(8, '0')).join('');
}
