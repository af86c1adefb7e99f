import { usageError } from '../../args.ts';
import { bridgeOptions } from '../../bridge/options.ts';
import { runBridge } from '../../bridge/run.ts';
import { defineCommand } from '../../command.ts';
import { helpHint } from '../../help.ts';

const { http, unix, 'http-path': path, url, header } = bridgeOptions;

export const record = defineCommand({
  positionals: [
    {
      name: 'SERVER',
      help: 'The server: its URL, unix:PATH, or its name in a configuration file. A command goes after --.',
      optional: true,
    },
  ],
  options: {
    out: { type: 'string', value: 'FILE', help: 'Where to write. Messages are added to the file.' },
    http,
    unix,
    'http-path': path,
    url,
    header,
  },
  examples: [
    {
      command: 'mcpctl record github --out github.jsonl',
      about: 'For a host that starts it instead of the server.',
    },
    {
      command: 'mcpctl record --out wire.jsonl --http :8000 -- npx -y some-server',
      about: 'For clients that know URLs.',
    },
  ],
  notes: [
    'It is mcpctl bridge with --record: what looks like a secret is masked, and the file is for its user only.',
    'mcpctl replay plays the recording against a server, mcpctl mock serves it.',
    'The full story: docs/transcripts.md',
  ],
  endsItself: true,
  async run({ args, values: { out, ...values }, globals, stop }) {
    if (out === undefined)
      throw usageError('--out is missing', `Name a file. ${helpHint('record')}`);
    return runBridge({ server: args.SERVER, values: { ...values, record: out }, globals, stop });
  },
});
