import { createHash } from 'node:crypto';
import { crc32, deflateSync } from 'node:zlib';
import { createSceneTable } from '@mcp-kit/cocos/components';
import { createMeta, printMeta, printTable, withUuids } from '@mcp-kit/cocos/document';
import { newImageMeta, readImage } from '@mcp-kit/cocos/images';
import { menuScript } from './menu.ts';
import { metaFor, TestProject, uuidFor } from './project.ts';

/** A PNG of white within a border that is clear. */
export function borderedPng(width: number, height: number): Buffer {
  const rows = Buffer.alloc((width * 4 + 1) * height);
  for (let y = 1; y < height - 1; y++) {
    const start = y * (width * 4 + 1) + 5;
    rows.fill(255, start, start + (width - 2) * 4);
  }
  const chunk = (type: string, data: Buffer): Buffer => {
    const body = Buffer.concat([Buffer.from(type), data]);
    const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)];
    length.writeUInt32BE(data.length);
    sum.writeUInt32BE(crc32(body));
    return Buffer.concat([length, body, sum]);
  };
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([8, 6], 8);
  return Buffer.concat([
    Buffer.from([137, 80, 78, 71, 13, 10, 26, 10]),
    chunk('IHDR', header),
    chunk('IDAT', deflateSync(rows)),
    chunk('IEND', Buffer.alloc(0)),
  ]);
}

const icon = borderedPng(8, 6);
const iconMeta = await newImageMeta({
  uuid: uuidFor('icon'),
  name: 'icon',
  extension: '.png',
  image: readImage(icon),
  type: 'sprite-frame',
});

/** A small game: a scene with a Canvas, a script, an image, and an image outside; the same ids every time. */
export function newGame(): TestProject {
  const scene = { name: 'main', uuid: uuidFor('main'), resolution: { width: 960, height: 640 } };
  const game = new TestProject();
  game.write({
    'assets/main.scene': printTable(withUuids(countedUuids(), () => createSceneTable(scene))),
    'assets/scripts.meta': metaFor('scripts', 'directory'),
    'assets/scripts/menu.ts': menuScript('onGo'),
    'assets/scripts/menu.ts.meta': metaFor('menu', 'typescript'),
    'assets/icon.png': icon,
    'assets/icon.png.meta': printMeta(createMeta(iconMeta)),
    'icon-source.png': borderedPng(12, 10),
  });
  return game;
}

const ids =
  /(?<=")[0-9a-f]{2}[0-9A-Za-z+/]{20}(?=")|[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g;

/** All files of a project as texts in which the ids, whatever they are, are numbered as they come. */
export function comparable(project: TestProject): Record<string, string> {
  const names = new Map<string, string>();
  const nameOf = (id: string): string => {
    const name = names.get(id) ?? `id ${names.size}`;
    names.set(id, name);
    return name;
  };
  const files = Object.entries(project.snapshot());
  return Object.fromEntries(
    files
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([name, content]) => {
        const text = Buffer.from(content, 'base64').toString('utf8');
        const isText = /\.(scene|prefab|meta)$/.test(name);
        return [name, isText ? text.replace(ids, nameOf) : content];
      }),
  );
}

function countedUuids(): () => string {
  let count = 0;
  return () => {
    const hex = createHash('md5').update(`${count++}`).digest('hex');
    return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
  };
}
