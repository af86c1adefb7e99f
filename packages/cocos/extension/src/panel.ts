// The panel: where the server is, whether it runs, and what to configure a client with.
import type { Status } from './main.ts';

const refreshMs = 1000;

export const template = `
<section class="mcp">
  <p><span class="light"></span> <span class="state"></span></p>
  <p class="problem"></p>
  <p><code class="url"></code></p>
  <p>
    <button class="switch"></button>
    <button class="copy">Copy configuration</button>
    <span class="said"></span>
  </p>
  <pre class="config"></pre>
</section>`;

export const style = `
.mcp { padding: 12px; line-height: 1.5; user-select: text; }
.mcp p { margin: 0 0 8px; }
.mcp .light { display: inline-block; width: 10px; height: 10px; border-radius: 5px; background: #888; }
.mcp .light.running { background: #3fb950; }
.mcp .light.starting { background: #d29922; }
.mcp .light.failed { background: #f85149; }
.mcp .problem { color: #f85149; white-space: pre-wrap; }
.mcp .problem:empty { display: none; }
.mcp pre { padding: 8px; border-radius: 4px; background: rgba(128, 128, 128, 0.15); overflow: auto; }
.mcp pre:empty { display: none; }`;

export const $ = {
  light: '.light',
  state: '.state',
  problem: '.problem',
  url: '.url',
  switch: '.switch',
  copy: '.copy',
  said: '.said',
  config: '.config',
};

interface Panel {
  readonly $: { readonly [Name in keyof typeof $]: HTMLElement };
  timer?: ReturnType<typeof setInterval> | undefined;
  last?: Status | undefined;
}

const words = { stopped: 'Stopped', starting: 'Starting', running: 'Running', failed: 'Failed' };

const ask = async (message: 'status' | 'start' | 'stop'): Promise<Status> =>
  (await Editor.Message.request('mcp-kit-cocos', message)) as Status;

function show({ $: parts }: Panel, { state, url, problem, config }: Status): void {
  const isOn = state === 'running' || state === 'starting';
  parts.light.className = `light ${state}`;
  parts.state.textContent = words[state];
  parts.problem.textContent = problem;
  parts.url.textContent = url;
  parts.config.textContent = config;
  parts.switch.textContent = isOn ? 'Stop' : 'Start';
  (parts.copy as HTMLButtonElement).disabled = config === '';
}

async function update(panel: Panel, message: 'status' | 'start' | 'stop'): Promise<void> {
  try {
    panel.last = await ask(message);
  } catch (error) {
    panel.last = { state: 'failed', url: '', config: '', problem: String(error) };
  }
  show(panel, panel.last);
}

async function open(panel: Panel): Promise<void> {
  const { $: parts } = panel;
  parts.switch.addEventListener('click', () => {
    const state = panel.last?.state;
    void update(panel, state === 'running' || state === 'starting' ? 'stop' : 'start');
  });
  parts.copy.addEventListener('click', () => {
    const isCopied = Editor.Clipboard.write('text', panel.last?.config ?? '');
    parts.said.textContent = isCopied ? 'Copied' : 'Not copied: select the text below';
  });
  panel.timer = setInterval(() => void update(panel, 'status'), refreshMs);
  await update(panel, 'status');
}

/** Called by the editor when the panel is there. */
export function ready(this: Panel): Promise<void> {
  // oxlint-disable-next-line oxc/no-this-in-exported-function -- that is how the editor hands over the panel
  return open(this);
}

/** Called by the editor when the panel is gone. */
export function close(this: Panel): void {
  // oxlint-disable-next-line oxc/no-this-in-exported-function -- that is how the editor hands over the panel
  clearInterval(this.timer);
}
