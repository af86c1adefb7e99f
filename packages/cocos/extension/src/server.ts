import { fileURLToPath } from 'node:url';
import { type EditorRequester, openEditorBackend } from '#cocos/backend';
import { announceEditor } from '#cocos/project';
import { openCocosServer } from '#cocos/tools';
import { serveHttp, type HttpListening } from 'mcp-kit/transport/http';

/** A server that can be ended. */
export interface RunningServer {
  readonly url: string;
  close(): Promise<void>;
}

/** They lie beside this file. */
const skills = new URL('./skills', import.meta.url);
const app = new URL('./app/scene-picture.html', import.meta.url);

/** Tried first, so that what is configured in a client stays true; other editors may have them. */
const ports = [3838, 3839, 3840, 3841, 3842, 3843, 3844, 3845, 3846, 3847, 0];

/** Serves the project that the editor has open, over HTTP on this machine. */
export async function startServer(
  requester: EditorRequester,
  project: string,
): Promise<RunningServer> {
  const closing: (() => PromiseLike<void>)[] = [];
  const close = async (): Promise<void> => {
    for (let end = closing.pop(); end !== undefined; end = closing.pop()) await end();
  };
  try {
    const backend = await openEditorBackend(requester, project);
    closing.push(() => backend[Symbol.asyncDispose]());
    const cocos = await openCocosServer({
      project: backend,
      skills: fileURLToPath(skills),
      app: fileURLToPath(app),
    });
    closing.push(() => cocos[Symbol.asyncDispose]());
    const listening = await listen(cocos.server);
    closing.push(() => listening.close());
    const announced = await announceEditor(project, listening.url);
    closing.push(() => announced[Symbol.asyncDispose]());
    return { url: listening.url, close };
  } catch (error) {
    await close();
    throw error;
  }
}

async function listen(server: Parameters<typeof serveHttp>[0]): Promise<HttpListening> {
  for (const port of ports) {
    try {
      return await serveHttp(server, { host: '127.0.0.1', port, profile: 'v2' });
    } catch (error) {
      if (port === 0 || !isTaken(error)) throw error;
    }
  }
  throw new Error('no port is free');
}

function isTaken(error: unknown): boolean {
  for (let at = error; at instanceof Error; at = at.cause) {
    if ('code' in at && (at.code === 'EADDRINUSE' || at.code === 'EACCES')) return true;
  }
  return false;
}
