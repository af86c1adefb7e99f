import path from 'node:path';
import { findProject } from '@mcp-kit/cocos/project';
import { openCocosServer } from '@mcp-kit/cocos/tools';
import type { Logger } from 'mcp-kit/internal';
import type { Server } from 'mcp-kit/server';
import type { GovernanceOptions } from 'mcp-kit/tools/governed';
import { version } from '../version.ts';
import { asCommand } from './on-project.ts';

/** What a project is served with. */
export interface ProjectService {
  readonly logger: Logger;
  /** The layers of tools that are there. */
  readonly layers: readonly ('core' | 'advanced' | 'internal')[];
  /** Where images may be imported from besides the project. */
  readonly imageFolders?: readonly string[] | undefined;
  readonly plans?: GovernanceOptions['plans'];
}

/** The skills that come with the program. */
const skills = path.join(import.meta.dirname, 'cocos-skills');
/** The app that comes with the program. */
const app = path.join(import.meta.dirname, 'cocos-app/scene-picture.html');

/** A project that is served. */
export interface ServedProject extends AsyncDisposable {
  readonly server: Server;
  /** Its name, and its folder. */
  readonly name: string;
  readonly root: string;
}

/** The server for the project that a folder is, or is in. */
export function openProjectServer(folder: string, service: ProjectService): Promise<ServedProject> {
  return asCommand(async () => {
    const { root, info } = findProject(folder);
    const { logger, layers, imageFolders = [], plans } = service;
    const governance = { visible: [...layers], plans };
    const headless = { imageFolders };
    const options = { version: version(), logger, governance, headless, skills, app };
    const opened = await openCocosServer({ project: root, ...options });
    const { server } = opened;
    return { server, root, name: info.name, [Symbol.asyncDispose]: () => dispose(opened) };
  });
}

async function dispose(opened: AsyncDisposable): Promise<void> {
  await opened[Symbol.asyncDispose]();
}
