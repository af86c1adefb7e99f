import type { UpstreamStatus } from '@mcp-kit/host/gateway';
import type { countServers } from '@mcp-kit/host/operate';
import type { Tool } from 'mcp-kit/protocol';

/** A gateway that runs, and how to tell it from others. */
export interface GatewayFacts {
  readonly name: string;
  readonly pid: number;
  /** The folder of its project. */
  readonly root: string;
  /** Where clients reach it: a URL, a socket, or `stdio`. */
  readonly address: string;
  /** When it began, in milliseconds since 1970. */
  readonly startedAt: number;
  readonly version: string;
}

/** How one of its servers is, with what was asked of it. */
export interface RunningServer extends UpstreamStatus {
  readonly calls: ReturnType<ReturnType<typeof countServers>['of']>;
}

/** How a running gateway is. */
export interface RunningStatus {
  readonly gateway: GatewayFacts;
  readonly hash: string;
  readonly servers: readonly RunningServer[];
  readonly refused: readonly unknown[];
}

/** Something that a server said beside its answers, or that became of it. */
export interface LogLine {
  /** In milliseconds since 1970. */
  readonly at: number;
  readonly server: string;
  /** `stderr`: said on standard error; `output`: came instead of a message; `state`: what became of it. */
  readonly from: 'stderr' | 'output' | 'state';
  readonly text: string;
}

export interface LogsAsked {
  /** Of one server only. */
  readonly server?: string | undefined;
  /** So many of the last lines. */
  readonly lines: number;
  /** Send `log` notifications with what comes later. */
  readonly follow: boolean;
}

/** What can be asked of a running gateway, by method: what is sent, and what comes back. */
export interface ControlMethods {
  readonly status: readonly [asked: object, answer: RunningStatus];
  readonly logs: readonly [asked: LogsAsked, answer: { readonly lines: readonly LogLine[] }];
  readonly restart: readonly [asked: { readonly server: string }, answer: RunningServer];
  /** Without a server the gateway itself. */
  readonly stop: readonly [asked: { readonly server?: string | undefined }, answer: object];
  /** Tokens were forgotten: a gateway that finds none any more ends what it holds with them. */
  readonly loggedOut: readonly [
    asked: { readonly server: string; readonly principal?: string | undefined },
    answer: object,
  ];
  /** A link that lets one browser into the console; none where it was started without. */
  readonly console: readonly [asked: object, answer: { readonly link?: string | undefined }];
  readonly tools: readonly [
    asked: { readonly server?: string | undefined },
    answer: { readonly gateway: GatewayFacts; readonly tools: readonly Tool[] },
  ];
}

/** Told of lines as they come, to whoever follows the logs; `left` are so many that were not sent. */
export interface LogNotice {
  readonly lines: readonly LogLine[];
  readonly left?: number | undefined;
}
