// Stands in for the editor: loads the extension of a folder as CommonJS, with a project open, until it is told to unload it.
import { createRequire } from 'node:module';
import path from 'node:path';
import { openFakeEditor } from '@mcp-kit/cocos/backend';

/** What the manifest of the extension names. */
interface Extension {
  load(): Promise<void>;
  unload(): Promise<void>;
  readonly methods: Readonly<Record<string, () => unknown>>;
}

const [, , folder = '', project = ''] = process.argv;
const editor = await openFakeEditor(project, { scene: 'assets/main.scene' });
const Editor = {
  App: { path: folder },
  Project: { path: project },
  Message: {
    request: (channel: string, method: string, ...args: readonly unknown[]) =>
      editor.request(channel, method, ...args),
  },
  Panel: { open: (name: string) => process.send?.({ opened: name }) },
  Clipboard: { write: () => true },
};
Object.assign(globalThis, { Editor });

const extension = createRequire(import.meta.url)(path.join(folder, 'main.js')) as Extension;
const tell = (): unknown => process.send?.({ status: extension.methods['status']?.() });

process.on('message', (message: string) => {
  const done = (async () => {
    if (message === 'unload') await extension.unload();
    else await extension.methods[message]?.();
    tell();
    if (message !== 'unload') return;
    await editor[Symbol.asyncDispose]();
    // Whatever else is left keeps the process from ending.
    process.disconnect();
  })();
  done.catch((error: unknown) => process.send?.({ failure: String(error) }));
});

await extension.load();
tell();
