import type { KitError } from 'mcp-kit/internal';
import { showChange, type Assessment, type Receipt } from '@mcp-kit/host';
import { trustCommand } from '@mcp-kit/host/internal';
import { failedRung, type Rung } from './rung.ts';

/** Whether a server may be used. `rules` is why it may not while nobody has approved it. */
export function trustRung(
  server: string,
  { verdict, changes, receipt }: Assessment & { readonly receipt?: Receipt | undefined },
  rules: readonly KitError[],
): Rung {
  if (verdict === 'trusted') {
    const said =
      receipt === undefined ? 'your own word' : `approved on ${receipt.approvedAt.slice(0, 10)}`;
    return { name: 'trust', state: 'ok', said };
  }
  if (verdict === 'changed') {
    const fix = `Look at the change, then, if you trust it: ${trustCommand('approve', server)}`;
    const more = changes.flatMap((change) => showChange(change));
    return { name: 'trust', state: 'failed', said: 'it is not what was approved', more, fix };
  }
  const [first, ...others] = rules;
  if (first === undefined) {
    const said = 'not approved: used under the rules for servers that are not trusted';
    return { name: 'trust', state: 'ok', said };
  }
  return { ...failedRung('trust', first), more: others.map(({ message }) => message) };
}
