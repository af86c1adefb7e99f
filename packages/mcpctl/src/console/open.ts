import { openConsole, type Console } from '@mcp-kit/console';
import type { Manager } from '@mcp-kit/host';
import type { Gateway } from '@mcp-kit/host/gateway';
import { maskSecrets } from '../terminal/secrets.ts';
import { actionsOf } from './actions.ts';
import type { Watched } from './watched.ts';

/** What the page of a gateway needs to know. */
export interface PageOptions {
  readonly watched: Watched;
  readonly manager: Manager;
  readonly status: () => object;
  readonly port: number;
}

/** Opens the console of a gateway that is heard. */
export function openGatewayConsole(
  gateway: Gateway,
  { watched: { feed }, manager, status, port }: PageOptions,
): Promise<Console> {
  const actions = actionsOf(gateway, manager);
  return openConsole({ feed, service: gateway, status, mask: maskSecrets, actions, port });
}
