import type { Session } from 'mcp-kit/client';

/** What a server said of itself when it was opened, in whichever era. */
export interface InitializeResult extends Pick<Session, 'capabilities' | 'instructions'> {
  readonly protocolVersion: string;
  readonly serverInfo: Session['server'];
}

export function initializeResultOf(session: Session): InitializeResult {
  const { version: protocolVersion, capabilities, server: serverInfo, instructions } = session;
  return { protocolVersion, capabilities, serverInfo, instructions };
}
