// A server that is a shell, because fifty processes of Node would measure the machine. It answers every request after its pause.
const script = `
sleep "$1"
while read -r line; do
  case $line in *'"id":'*) ;; *) continue ;; esac
  id=\${line#*'"id":'}
  id=\${id%%[,\\}]*}
  case $line in
    *'"method":"initialize"'*) result='{"protocolVersion":"2025-11-25","capabilities":{"tools":{}},"serverInfo":{"name":"sh","version":"1"}}' ;;
    *'"method":"tools/list"'*) result='{"tools":[]}' ;;
    *) printf '{"jsonrpc":"2.0","id":%s,"error":{"code":-32601,"message":"Method not found"}}\\n' "$id"; continue ;;
  esac
  printf '{"jsonrpc":"2.0","id":%s,"result":%s}\\n' "$id" "$result"
done
`;

/** How to start one that begins to answer after so long. */
export const shellServer = (pauseMs) => ({
  command: '/bin/sh',
  args: ['-c', script, 'sh', String(pauseMs / 1000)],
});
