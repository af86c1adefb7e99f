// The same by the official library for hosts.
import { AppBridge, PostMessageTransport } from '@modelcontextprotocol/ext-apps/app-bridge';

const frame = document.querySelector('iframe');

window.start = async ({ html, tool, args, result }) => {
  const capabilities = {
    openLinks: {},
    serverTools: {},
    message: { text: {} },
    updateModelContext: { text: {}, structuredContent: {} },
  };
  const hostContext = { theme: 'dark', displayMode: 'inline', toolInfo: { id: 1, tool } };
  const info = { name: 'official-host', version: '1.0.0' };
  const bridge = new AppBridge(null, info, capabilities, { hostContext });
  bridge.addEventListener('initialized', async () => {
    await window.heard('ui/notifications/initialized', {});
    await bridge.sendToolInput({ arguments: args });
    await bridge.sendToolResult(result);
  });
  bridge.addEventListener('sizechange', async (size) => {
    await window.heard('ui/notifications/size-changed', size);
    frame.style.height = `${size.height}px`;
  });
  bridge.oncalltool = async (params) => {
    await window.heard('tools/call', params);
    return window.ask('tools/call', params);
  };
  // Not an event of the page: what the library calls so has an answer.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  bridge.onmessage = async (params) => {
    await window.heard('ui/message', params);
    return {};
  };
  bridge.onupdatemodelcontext = async (params) => {
    await window.heard('ui/update-model-context', params);
    return {};
  };
  await bridge.connect(new PostMessageTransport(frame.contentWindow, frame.contentWindow));
  window.change = (context) => bridge.setHostContext({ ...hostContext, ...context });
  window.end = () => bridge.teardownResource({});
  frame.srcdoc = html;
};
