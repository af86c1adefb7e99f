import { execFile, execFileSync } from 'node:child_process';
import path from 'node:path';
import { promisify } from 'node:util';
import { beforeAll, expect, test } from 'vitest';
import { requireBuild } from '../support/cli.ts';
import { sample } from '../support/scale.ts';

beforeAll(requireBuild);

/** Places that no stranger may lead us to, in every way to write them down. */
const targets = `
  127.0.0.1 127.1 127.0.0.1. 0177.0.0.1 0x7f.1 0x7f000001 2130706433
  017700000001 127.255.255.254 １２７.０.０.１ ①②⑦.⓪.⓪.① 127。0。0。1 0 0.0.0.0
  10.0.0.1 172.16.0.1 192.168.0.1 100.64.0.1 100.100.100.200 169.254.169.254 0xa9fea9fe
  2852039166 168.63.129.16 192.0.0.192 198.18.0.1 192.0.2.1 224.0.0.1 255.255.255.255
  [::1] [::] [0:0:0:0:0:0:0:1] [::7f00:1] [::127.0.0.1] [::ffff:127.0.0.1] [::FFFF:7F00:1]
  [::ffff:169.254.169.254] [64:ff9b::7f00:1] [64:ff9b::169.254.169.254] [64:ff9b:1::7f00:1] [2002:7f00:1::1] [2001:0:7f00:1::1] [fd00:ec2::254]
  [fc00::1] [fe80::1] [fec0::1] [ff02::1] [100:0:0:1::1] [5f00::1] [3fff::1]
  [2001:db8::1] localhost LOCALHOST. app.localhost nas.local wiki
`
  .trim()
  .split(/\s+/);
const { tried, share } = sample(targets, 3);

const network =
  'ip link set lo up && ip route add local 0.0.0.0/0 dev lo && ip -6 route add local ::/0 dev lo';
const flags = process.getuid?.() === 0 ? '-n' : '-Urn';
/** Runs a command in a network of its own, in which every address leads back to this machine. */
const isolate = `exec unshare ${flags} sh -c '${network} && exec "$@"' sh "$@"`;

function canIsolate(): boolean {
  try {
    execFileSync('/bin/sh', ['-c', isolate, 'sh', 'true'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

interface Report {
  readonly cases: number;
  readonly outcomes: Readonly<Record<'refused' | 'redirected' | 'led', number>>;
  /** Attempts that ended some other way than by refusal. */
  readonly wrong: readonly string[];
  /** Addresses that were connected to. */
  readonly hits: readonly string[];
  /** How many of the targets would have been heard. */
  readonly heard: number;
}

const program = path.join(import.meta.dirname, 'child/egress-matrix.mjs');
/** Proxies that would be another way to the server. */
const proxies = Object.fromEntries(
  ['http_proxy', 'HTTP_PROXY', 'https_proxy', 'all_proxy'].map((name) => [
    name,
    'http://127.0.0.1:80',
  ]),
);

async function attempt(isolated: boolean): Promise<Report> {
  const node = [process.execPath, program, JSON.stringify({ isolated, targets: tried })];
  const command = isolated ? ['/bin/sh', '-c', isolate, 'sh', ...node] : node;
  const [file = '', ...args] = command;
  const env = { ...process.env, ...proxies, NODE_USE_ENV_PROXY: '1' };
  const { stdout } = await promisify(execFile)(file, args, { env, timeout: 110_000 });
  return JSON.parse(stdout) as Report;
}

const isolated = canIsolate();
const ways = isolated ? 'every way' : 'the ways that need no network of their own';

test(`nothing that must not be reached is reached, ${share} places tried ${ways}`, async () => {
  const { cases, outcomes, wrong, hits, heard } = await attempt(isolated);
  expect(hits).toEqual([]);
  expect(wrong).toEqual([]);
  expect(outcomes.refused + outcomes.redirected + outcomes.led).toBe(cases);
  expect(cases).toBeGreaterThanOrEqual(tried.length * (isolated ? 30 : 8));
  // Had it been reached, it would have been noticed.
  expect(heard).toBeGreaterThanOrEqual(tried.length * (isolated ? 0.75 : 0.1));
});
