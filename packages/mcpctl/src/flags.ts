/** What the options of the library are called on the command line, as hints name them. */
const flags: readonly (readonly [RegExp, string])[] = [
  [
    /limits\.maxBytes, limits\.maxDepth or limits\.maxElements/,
    '--max-message-bytes, or "limits" in its entry,',
  ],
  [/limits\.maxBytes/, '--max-message-bytes'],
  [/\b(?:connectTimeoutMs|timeoutMs|maxTotalMs)\b/, '--timeout-ms'],
  [/,? or open the session with validateOutput: false/, ''],
  [/policy\.requireHttps: false/, '--allow-http'],
  [/policy\.allowedHosts:?/, '--allow-host'],
  [/policy\.allowLocalhost/, '--allow-localhost'],
  [/policy\.allowPrivateIps/, '--allow-private-ip'],
  [/policy\.dnsTimeoutMs/, '--dns-timeout-ms'],
  [/\bmaxUpstreams\b/, '--max-upstreams'],
  [
    /\bsend it as the header Authorization\b/,
    "send it as the header Authorization: --header 'Authorization: Bearer …', or headers of its entry",
  ],
];

/** A hint of the library in the words of the command line. */
export function inFlags(hint: string): string {
  return flags.reduce((text, [field, flag]) => text.replace(field, flag), hint);
}
