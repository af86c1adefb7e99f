import { adHocEntry, createManager, type Manager } from '@mcp-kit/host';
import type { Logger } from 'mcp-kit/internal';
import type { Service, Target } from 'mcp-kit/protocol';
import { memoryPair, serveChannel } from 'mcp-kit/transport';
import { version } from '../version.ts';

/** Servers that come with the program, in this process. */
export interface Samples extends AsyncDisposable {
  readonly manager: Manager;
  readonly names: readonly string[];
  /** A tool that works without arguments. */
  readonly firstTool: string;
  readonly more: readonly string[];
}

/** Opens them: tools for a copy of the sample game, and small tools for trying things. */
export async function openSamples(logger: Logger): Promise<Samples> {
  const { copySample } = await import('../cocos/sample.ts');
  const { openProjectServer } = await import('../cocos/open-server.ts');
  const { createSampleServer } = await import('../samples/server.ts');
  const copy = await copySample(undefined);
  const project = await openProjectServer(copy.folder, { logger, layers: ['core'] });
  const demo = createSampleServer({ contract: 'plain', logger });
  const targets = { cocos: targetOf('cocos', project.server), demo: targetOf('demo', demo) };
  const names = Object.keys(targets);
  const manager = createManager({
    // Both are this program itself.
    trust: 'trusted',
    entries: names.map((name) => adHocEntry({ unix: name }, name)),
    targets,
    receipts: false,
    toolCache: false,
    name: 'mcpctl',
    version: version(),
    logger,
  });
  return {
    manager,
    names,
    firstTool: 'cocos__get_project_info',
    more: [
      `cocos: a game project, in a copy that goes when this ends: ${copy.folder}`,
      'demo: small tools to try things with. Servers of your own: mcpctl add NAME -- COMMAND',
    ],
    async [Symbol.asyncDispose]() {
      await manager.close();
      await project[Symbol.asyncDispose]();
      await copy[Symbol.asyncDispose]();
    },
  };
}

function targetOf(name: string, service: Service): Target {
  return {
    label: name,
    key: name,
    wire: 'stream',
    async dial() {
      const [near, far] = memoryPair();
      serveChannel(service, far);
      return near;
    },
  };
}
