// A host that shows one app: the messages of the protocol, as its specification has them, and nothing else.
const frame = document.querySelector('iframe');
const waiting = new Map();

const post = (message) => frame.contentWindow.postMessage({ jsonrpc: '2.0', ...message }, '*');

const notify = (method, params) => post({ method, params: { ...params } });

const request = (method, params) =>
  new Promise((resolve) => {
    const id = `host-${waiting.size}`;
    waiting.set(id, resolve);
    post({ id, method, params });
  });

const hostCapabilities = {
  openLinks: {},
  serverTools: {},
  message: { text: {} },
  updateModelContext: { text: {}, structuredContent: {} },
};

window.start = ({ html, tool, args, result }) => {
  const answers = {
    'ui/initialize': () => ({
      protocolVersion: '2026-01-26',
      hostInfo: { name: 'our-host', version: '1.0.0' },
      hostCapabilities,
      hostContext: { theme: 'dark', displayMode: 'inline', toolInfo: { id: 1, tool } },
    }),
    'tools/call': (params) => window.ask('tools/call', params),
    'ui/message': () => ({}),
    'ui/open-link': () => ({}),
    'ui/update-model-context': () => ({}),
  };
  window.addEventListener('message', async ({ source, data }) => {
    if (source !== frame.contentWindow || data.jsonrpc !== '2.0') return;
    const { id, method, params } = data;
    if (method === undefined) {
      waiting.get(id)?.(data.result);
      return;
    }
    await window.heard(method, params ?? {});
    if (method === 'ui/notifications/initialized') {
      notify('ui/notifications/tool-input', { arguments: args });
      notify('ui/notifications/tool-result', result);
    }
    if (method === 'ui/notifications/size-changed') frame.style.height = `${params.height}px`;
    if (id === undefined) return;
    if (Object.hasOwn(answers, method)) post({ id, result: await answers[method](params) });
    else post({ id, error: { code: -32601, message: 'Method not found' } });
  });
  frame.srcdoc = html;
};

window.change = (context) => notify('ui/notifications/host-context-changed', context);
window.end = () => request('ui/resource-teardown', {});
