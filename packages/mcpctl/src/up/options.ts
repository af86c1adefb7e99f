import type { Options } from '../args.ts';
import { changeOptions } from '../setup/change.ts';
import { authorization, front, limits, operation, reach } from '../serve/options.ts';

const place = {
  ...front,
  settings: {
    type: 'string',
    value: 'FILE',
    help: 'Take what the options below say from the server section of this JSON file; options come before it.',
  },
} as const satisfies Options;

const running = {
  name: {
    type: 'string',
    value: 'NAME',
    help: 'What mcpctl ps, logs, restart and stop call this gateway. Default: the name of the folder.',
  },
  record: {
    type: 'string',
    value: 'FILE',
    help: 'Write every message of every server to this file, as mcpctl record does.',
  },
  console: {
    type: 'boolean',
    help: 'Open the console as well: a page for browsers on this machine, by the link that is printed.',
  },
  'console-port': {
    type: 'string',
    value: 'PORT',
    help: 'The port of the console, which it opens as well. Default: any that is free.',
  },
} as const satisfies Options;

const service = {
  install: {
    type: 'boolean',
    help: 'Write a user service that runs this command (systemd, launchd), and end.',
  },
  uninstall: { type: 'boolean', help: 'Remove what --install has written, and end.' },
  ...changeOptions,
} as const satisfies Options;

const servers = {
  sample: {
    type: 'boolean',
    help: 'Serve the servers that come with mcpctl, as when none is configured.',
  },
  import: {
    type: 'boolean',
    help: 'First copy the servers of your other programs into your own file; shows it and asks.',
  },
  yes: {
    type: 'boolean',
    short: 'y',
    help: 'With --import, --install or --uninstall: do not ask.',
  },
  group: {
    type: 'string',
    value: 'NAME',
    help: 'Serve only this group of the configuration; no other server is opened.',
  },
  'wait-ms': {
    type: 'string',
    value: 'MS',
    help: 'How long a list waits for servers of which nothing is known yet. Default: 1500.',
  },
  disclosure: {
    type: 'string',
    value: 'VIEW',
    help: 'What clients see of many tools: full, search (a few that find and call them) or auto, by client and number. Default: what the files say, or auto.',
  },
  'max-upstreams': {
    type: 'string',
    value: 'N',
    help: 'Conversations with each server at the same time: processes, if it is a command. Default: 64.',
  },
  'max-calls-per-server': {
    type: 'string',
    value: 'N',
    help: 'Requests at each server at the same time; others are refused. Default: 256.',
  },
} as const satisfies Options;

/** The options of the gateway, as the help groups them. */
export const upGroups = {
  Front: place,
  Running: running,
  'As a service': service,
  Servers: servers,
  'Who can reach it over HTTP': reach,
  Authorization: authorization,
  Limits: limits,
  Operation: operation,
} as const;

export const upOptions = {
  ...place,
  ...running,
  ...service,
  ...servers,
  ...reach,
  ...authorization,
  ...limits,
  ...operation,
} as const;
