import path from 'node:path';
import { CocosError } from '#cocos/document';
import type { FileChange, Project } from '#cocos/project';
import { field } from './live-scene.ts';
import type { EditorLink } from './requester.ts';

/** Makes the editor look at files that were changed beside it. */
export class AssetRefresh {
  readonly #link: EditorLink;
  readonly #project: Project;

  constructor(link: EditorLink, project: Project) {
    this.#link = link;
    this.#project = project;
  }

  /** Lets the editor import what changed, folders first, and checks that it knows the result. */
  async refresh(files: readonly FileChange[]): Promise<void> {
    await this.#project.refresh();
    const places = new Set<string>();
    for (const { path: file, change } of files) {
      const place = file.replace(/\.meta$/, '');
      places.add(change === 'delete' ? path.posix.dirname(place) : place);
    }
    for (const place of [...places].sort()) {
      const url = this.#project.url(place);
      if (url === undefined) continue;
      await this.#link.send('asset-db', 'refresh-asset', url);
      await this.#check(place, url);
    }
  }

  async #check(place: string, url: string): Promise<void> {
    const asset = this.#project.assetAt(place);
    if (asset === undefined || !asset.exists) return;
    const uuid = field(await this.#link.send('asset-db', 'query-asset-info', url), 'uuid');
    if (uuid === asset.uuid) return;
    throw new CocosError('E_INTERNAL', `The editor has not taken in ${place}.`, {
      suggestion: 'Look at the console of the editor for why it was not imported.',
      details: { url, expected: asset.uuid, found: uuid },
    });
  }
}
