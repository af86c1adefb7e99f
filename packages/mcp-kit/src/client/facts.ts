import { KitError } from '#base';
import { isRecord, type Params } from '#jsonrpc';
import {
  isImplementation,
  isLegacyVersion,
  legacyVersions,
  metaKeys,
  modernVersion,
  takesTasks,
  type ClientCapabilities,
  type Implementation,
  type LoggingLevel,
  type Meta,
  type ServerCapabilities,
} from '#protocol';
import { legacy, modern, type Edge } from './edge.ts';
import type { InputHandlers, SessionOptions } from './options.ts';
import type { DiscoverResult } from './results.ts';

/** Who this side is and what it can do, as every server is told. */
export interface Identity {
  readonly info: Implementation;
  readonly capabilities: ClientCapabilities;
  /** The revision that `initialize` offers. */
  readonly offers: string;
  /** Whether this side itself says when its roots change, beside what `capabilities` promise. */
  readonly tellsRoots: boolean;
  /** What `initialize` says beside that. */
  readonly more: Params | undefined;
}

/** Who the owner of a session says that it is. */
export function identityOf(options: SessionOptions): Identity {
  const { name = 'mcp-kit', version = '0', title, description, websiteUrl, icons } = options;
  return {
    info: options.clientInfo ?? { name, version, title, description, websiteUrl, icons },
    capabilities: capabilitiesOf(options.inputs ?? {}, options.capabilities),
    offers: options.protocolVersion ?? legacyVersions[0],
    tellsRoots: options.inputs?.roots !== undefined,
    more: options.initializeParams,
  };
}

/** What a server said about itself when the conversation began. */
export interface ServerFacts {
  /** How it is spoken to. */
  readonly edge: Edge;
  readonly version: string;
  readonly server: Implementation | undefined;
  readonly capabilities: ServerCapabilities;
  readonly instructions: string | undefined;
  /** All of it, as the server said it. */
  readonly greeting: Readonly<Record<string, unknown>>;
}

/** What a modern request says about its sender. */
export function envelopeOf({ info, capabilities }: Identity, logLevel?: LoggingLevel): Meta {
  const { extensions } = capabilities;
  return {
    [metaKeys.protocolVersion]: modernVersion,
    [metaKeys.clientInfo]: info,
    // Calls that go on as tasks are waited for here, whoever makes them.
    [metaKeys.clientCapabilities]: {
      ...capabilities,
      extensions: { ...extensions, ...takesTasks.extensions },
    },
    [metaKeys.logLevel]: logLevel,
  };
}

export function isDiscoverResult(result: unknown): result is DiscoverResult {
  return (
    isRecord(result) &&
    Array.isArray(result['supportedVersions']) &&
    isRecord(result['capabilities'])
  );
}

/** What a server of the modern era told. */
export function modernFacts(result: DiscoverResult): ServerFacts {
  const info = result._meta?.[metaKeys.serverInfo];
  return {
    edge: modern,
    version: modernVersion,
    server: isImplementation(info) ? info : undefined,
    capabilities: result.capabilities,
    instructions: result.instructions,
    greeting: { ...result },
  };
}

/** What the answer to `initialize` tells; a revision that we neither speak nor have offered is a `KitError`. */
export function legacyFacts(result: unknown, offered: string): ServerFacts {
  if (!isRecord(result)) {
    throw new KitError('invalid_answer', 'initialize: the answer is not an object');
  }
  const { protocolVersion, capabilities, serverInfo, instructions } = result;
  if (!isLegacyVersion(protocolVersion) && protocolVersion !== offered) {
    throw new KitError(
      'unsupported_version',
      `initialize: the server speaks revision ${JSON.stringify(protocolVersion)}, which is not known here`,
    );
  }
  return {
    edge: legacy,
    version: protocolVersion,
    server: isImplementation(serverInfo) ? serverInfo : undefined,
    capabilities: isRecord(capabilities) ? capabilities : {},
    instructions: typeof instructions === 'string' ? instructions : undefined,
    greeting: result,
  };
}

/** What these handlers can do, as the server is told, beside what else the client can do. */
function capabilitiesOf(
  { elicit, elicitUrl, sample, roots }: InputHandlers,
  others: ClientCapabilities = {},
): ClientCapabilities {
  const capabilities: Record<string, unknown> = { ...others };
  if (elicit !== undefined || elicitUrl !== undefined) {
    const form = elicit && {};
    const url = elicitUrl && {};
    capabilities['elicitation'] = { form, url, ...others.elicitation };
  }
  if (sample !== undefined) capabilities['sampling'] = { ...others.sampling };
  if (roots !== undefined) capabilities['roots'] = { ...others.roots };
  return capabilities;
}
