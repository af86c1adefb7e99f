import type { Session } from 'mcp-kit/client';
import type { Implementation, ServerCapabilities } from 'mcp-kit/internal';

/** What a server said of itself when it was opened, in whichever era. */
export interface InitializeResult {
  readonly protocolVersion: string;
  readonly capabilities: ServerCapabilities;
  readonly serverInfo?: Implementation | undefined;
  readonly instructions?: string | undefined;
}

export function initializeResultOf(session: Session): InitializeResult {
  const { version, capabilities, server, instructions } = session;
  return { protocolVersion: version, capabilities, serverInfo: server, instructions };
}
