import type { ChildOptions } from 'mcp-kit/transport/child-process';
import type { Mark } from '../faults/lib/marked-processes.ts';

/** A legacy server that starts in a moment: it tells its pid, hangs, or is done at once. */
const script = `
while read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=\${line#*'"id":'}
  id=\${id%%[,\\}]*}
  text=done
  case $line in
    *'"method":"initialize"'*)
      result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}'
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
      continue ;;
    *'"method":"tools/list"'*)
      result='{"tools":[{"name":"pid","inputSchema":{"type":"object"}},{"name":"hang","inputSchema":{"type":"object"}},{"name":"done","inputSchema":{"type":"object"}}]}'
      printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
      continue ;;
    *'"name":"hang"'*) continue ;;
    *'"name":"pid"'*) text=$$ ;;
    *'"method":"tools/call"'*) ;;
    *)
      printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\\n' "$id"
      continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":{"content":[{"type":"text","text":"%s"}]}}\\n' "$id" "$text"
done
`;

/** How to start it. */
export const shellServer = (mark: Mark): ChildOptions => ({
  command: '/bin/sh',
  args: ['-c', script],
  env: mark.env,
});

/** The same on a command line. */
export const shellWords = (mark: Mark): readonly string[] => [
  ...Object.entries(mark.env).flatMap(([name, value]) => ['--env', `${name}=${value}`]),
  '--',
  '/bin/sh',
  '-c',
  script,
];
