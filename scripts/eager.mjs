// Has V8 compile functions together with their file. It skims a function when the file is loaded, and reads it again when it
// first runs; one in parentheses it compiles at once. For what every first call runs that is less work in all.

/** Functions that every client runs until its first call over HTTP is answered, by module. */
const eagerFunctions = {
  'base/deferred.ts': ['createDeferred'],
  'base/maybe-promise.ts': ['isPromise'],
  'base/timer.ts': ['startTimer'],
  'client/caller.ts': ['traceHeadersOf', 'withMeta'],
  'client/era.ts': ['createVerdicts', 'eraOf'],
  'client/facts.ts': ['capabilitiesOf', 'identityOf', 'legacyFacts'],
  'client/limit.ts': ['createLimit'],
  'client/negotiate.ts': [
    'agree',
    'confirmInitialized',
    'dial',
    'handshake',
    'initialize',
    'negotiate',
    'requestInitialize',
  ],
  'client/session.ts': ['isToolResult', 'openSession'],
  'jsonrpc/ask.ts': ['ask'],
  'jsonrpc/batch.ts': ['routeOf'],
  'jsonrpc/encode.ts': ['encodeMessage', 'toNotification'],
  'jsonrpc/limits.ts': ['endOfString', 'exceeds'],
  'jsonrpc/message.ts': ['classify', 'classifyResponse', 'isId', 'isRecord'],
  'jsonrpc/parse.ts': ['decode', 'mayNamePrototype', 'parseMessage'],
  'protocol/envelope.ts': ['claimsModern', 'isImplementation'],
  'protocol/revisions.ts': ['isLegacyVersion'],
  'transport/http-client/channel.ts': ['endsHandshake'],
  'transport/http-client/connection.ts': [
    'headersFor',
    'isOpening',
    'isRedirect',
    'mediaType',
    'readBody',
    'routeTo',
  ],
  'transport/http-client/options.ts': ['labelOf', 'parseUrl', 'placeHeaders', 'settle'],
  'transport/http-client/request.ts': ['isAnonymousError', 'isResponse', 'withHeaders'],
  'transport/http-client/target.ts': ['httpTarget', 'keyOf'],
};

/** Writes those functions of a module as constants, in parentheses. */
export function compileEagerly(text, { file }) {
  const place = file.replaceAll('\\', '/').split('/mcp-kit/src/').at(-1);
  return (eagerFunctions[place] ?? []).reduce((changed, name) => {
    const declaration = new RegExp(`^(export )?((?:async )?function ${name}\\b[^]*?^})$`, 'm');
    if (!declaration.test(changed)) throw new Error(`${file}: no function ${name} at its top`);
    return changed.replace(declaration, (_, exported = '', written) => {
      return `${exported}const ${name} = (${written});`;
    });
  }, text);
}
