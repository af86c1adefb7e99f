// Which candidates there are, and where their packages come from.
import { lstatSync, readFileSync, symlinkSync } from 'node:fs';
import { installPeers } from '../../scripts/peers.mjs';
import { prepare } from '../../scripts/prepare.mjs';
import { bridgeNames } from './bridges.mjs';
import { commandNames } from './commands.mjs';

const order = ['floor', 'ours', 'sdk-v1', 'sdk-v2', 'mcp-lite', 'tmcp'];
/** Only where they are asked for. */
const onDemand = ['ours-governed'];
const withClient = ['floor', 'ours', 'sdk-v1', 'sdk-v2'];
const at = (path) => new URL(path, import.meta.url);

/** Loads the candidates and sees to it that they can run. The floor is always among them. */
export async function loadCandidates({ only, zod }) {
  const wanted = only?.split(',') ?? order;
  const all = [...order, ...onDemand];
  const known = [...new Set([...all, ...commandNames, ...bridgeNames])];
  const unknown = wanted.filter((name) => !known.includes(name));
  if (unknown.length > 0) throw new Error(`no candidate ${unknown}; there are ${known.join(', ')}`);
  const candidates = [];
  for (const name of all.filter((each) => each === 'floor' || wanted.includes(each))) {
    const { default: candidate } = await import(`../candidates/${name}.mjs`);
    const client = withClient.includes(name) ? await import(`../clients/${name}.mjs`) : undefined;
    const peer = name !== 'floor' && !name.startsWith('ours');
    candidates.push({ name, peer, client: client?.default, ...candidate });
  }
  const peers = candidates.filter(({ peer }) => peer);
  if (wanted.some((name) => name.startsWith('ours'))) await prepare({ dev: false });
  if (peers.length > 0 || zod) await installPeers();
  // through this link a candidate's plain `import 'tmcp'` finds the peer; 'mcp-kit' is found further up
  const link = at('../node_modules');
  // It leads nowhere as long as no peer was wanted.
  if (lstatSync(link, { throwIfNoEntry: false }) === undefined) {
    symlinkSync('../peers/node_modules', link);
  }
  for (const peer of peers) peer.label += ` ${shortVersion(peer.package)}`;
  return candidates;
}

function shortVersion(name) {
  const manifest = at(`../../peers/node_modules/${name}/package.json`);
  const { version } = JSON.parse(readFileSync(manifest, 'utf8'));
  return version.split('.').slice(0, 2).join('.');
}
