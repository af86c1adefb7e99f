import type { Options } from '../args.ts';
import { targetOptions } from '../global-options.ts';
import { authorization, limits, operation, reach } from '../serve/options.ts';

const server = {
  url: targetOptions.url,
  header: targetOptions.header,
} as const satisfies Options;

const front = {
  http: {
    type: 'string',
    value: '[HOST:]PORT',
    help: 'Serve over HTTP there instead of on standard input and output; port 0 picks a free one.',
  },
  unix: {
    type: 'string',
    value: 'PATH',
    help: 'Serve on this unix socket instead; if no other server is named, it is the server.',
  },
  'http-path': {
    type: 'string',
    value: 'PATH',
    help: 'Path of the HTTP endpoint. Default: /mcp.',
  },
  settings: {
    type: 'string',
    value: 'FILE',
    help: 'Take what the options below say from the server section of this JSON file; options come before it.',
  },
} as const satisfies Options;

const bridge = {
  'max-upstreams': {
    type: 'string',
    value: 'N',
    help: 'Conversations with the server at the same time: processes, if it is a command. Default: 64.',
  },
  record: {
    type: 'string',
    value: 'FILE',
    help: 'Write every message on either side to this file, as lines of JSON without secrets.',
  },
} as const satisfies Options;

/** The options of the bridge, as the help groups them. */
export const bridgeGroups = {
  Front: front,
  Server: server,
  Bridge: bridge,
  'Who can reach it over HTTP': reach,
  Authorization: authorization,
  Limits: limits,
  Operation: operation,
} as const;

export const bridgeOptions = {
  ...front,
  ...server,
  ...bridge,
  ...reach,
  ...authorization,
  ...limits,
  ...operation,
} as const;
