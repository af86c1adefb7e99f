// This repository's client, with its defaults. In the era of sessions it is told so, as SDK v2 is by its own default;
// with `findEra` it finds out by itself.
const optionsOf = ({ era, findEra }) => ({
  name: 'bench',
  version: '1.0.0',
  era: era === '2025-11-25' && !findEra ? 'legacy' : 'auto',
});

const connect = async (openSession, target, params) => {
  const session = await openSession(target, optionsOf(params));
  if (session.era !== (params.era === '2025-11-25' ? 'legacy' : 'modern')) {
    throw new Error(`opened in the ${session.era} era`);
  }
  return {
    call: (name, args) => session.callTool(name, args),
    close: () => session.close(),
  };
};

/** Our client. */
export default {
  eras: ['2025-11-25', '2026-07-28'],
  findsEra: true,

  async http({ url, ...params }) {
    const [{ openSession }, { httpTarget }] = await Promise.all([
      import('mcp-kit/client'),
      import('mcp-kit/transport/http-client'),
    ]);
    return connect(openSession, httpTarget(url), params);
  },

  async stdio({ command, args, ...params }) {
    // Both entries at once, as a program that names them at its top loads them.
    const [{ openSession }, { childTarget }] = await Promise.all([
      import('mcp-kit/client'),
      import('mcp-kit/transport/child-process'),
    ]);
    return connect(openSession, childTarget({ command, args }), params);
  },
};
