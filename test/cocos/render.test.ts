import {
  addComponent,
  createNode,
  openDocument,
  readDocument,
  type SceneDocument,
  setProperties,
  setTransform,
  updateNode,
} from '@mcp-kit/cocos/edit';
import { readImage, trimBox } from '@mcp-kit/cocos/images';
import { pngOf, type RenderOptions, renderDocument } from '@mcp-kit/cocos/render';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { hasCorpus, needsCorpus } from '../support/cocos/corpus.ts';
import { button, game, menu } from '../support/cocos/defects.ts';
import { ProjectCopy } from '../support/cocos/sample-project.ts';

let copy: ProjectCopy;

beforeAll(() => {
  copy = new ProjectCopy();
});

afterAll(() => {
  copy[Symbol.dispose]();
});

/** A scene of the sample, to be changed in a draft of its own. */
const open = async (file: string): Promise<SceneDocument> => openDocument(await copy.open(), file);

/** What is drawn of one node, without anything around it. */
const drawn = (document: SceneDocument, node: string, options: RenderOptions = {}): string =>
  renderDocument(document, { node, outlines: false, background: 'none', ...options }).svg;

/** Fails where tags do not match, or where something is not escaped. */
function checkMarkup(svg: string): void {
  const tag = /<(\/?)([\w:]+)(?:\s+[\w:-]+="[^"<]*")*(\/?)>/g;
  const unclosed: string[] = [];
  for (const [, end, name = '', closed] of svg.matchAll(tag)) {
    const expected = end === '/' ? unclosed.pop() : name;
    expect(expected).toBe(name);
    if (end !== '/' && closed !== '/') unclosed.push(name);
  }
  expect(unclosed).toEqual([]);
  expect(svg.replaceAll(tag, '')).not.toMatch(/[<>]|&(?!\w+;)/);
}

const numbersOf = (text: string | undefined): number[] =>
  (text?.match(/-?\d+(?:\.\d+)?/g) ?? []).map(Number);

describe('The picture of a scene', () => {
  test('has the size of its Canvas, its texts and each of its images once', async () => {
    const { svg, width, height, notes } = renderDocument(await open(menu));
    expect({ width, height, notes }).toEqual({ width: 960, height: 640, notes: [] });
    for (const text of ['Star Catcher', 'Play', 'Settings', 'Quit', 'v1.0.0']) {
      expect(svg).toContain(`>${text}</tspan>`);
    }
    expect(svg.match(/<image /g)).toHaveLength(4);
    expect(svg.match(/<title>Canvas\/Stars\/Star/g)).toHaveLength(6);
    expect(svg).toContain('<title>Canvas/Stars/Star[5]</title>');
  });

  test('is the same each time', async () => {
    const [one, other] = [renderDocument(await open(game)), renderDocument(await open(game))];
    expect(one.svg).toBe(other.svg);
  });

  test('leaves out what is switched off, unless asked for', async () => {
    const scene = await open(menu);
    expect(renderDocument(scene).svg).not.toContain('SettingsDialog');
    expect(renderDocument(scene, { inactive: true }).svg).toContain('Canvas/SettingsDialog/Box');
  });

  test('shows what instances have of their own', async () => {
    const { svg } = renderDocument(await open(game));
    for (const name of ['Ada', 'Linus', 'Grace', 'Alan', 'Edsger']) expect(svg).toContain(name);
    expect(svg).not.toContain('Player');
  });

  test('can be of a prefab, as large as what is in it', async () => {
    const { width, height } = renderDocument(await open(button));
    expect({ width, height }).toEqual({ width: 240 + 32, height: 64 + 32 });
  });

  test('can be without images, with the colour of the camera, with names', async () => {
    const scene = await open(menu);
    const plain = renderDocument(scene, { images: false });
    expect(plain.svg).not.toContain('<image');
    expect(plain.notes.join()).toContain('sky.png');
    expect(renderDocument(scene, { background: 'camera' }).svg).toMatch(
      /<rect [^>]*fill="#000000"/,
    );
    expect(renderDocument(scene, { names: true }).svg).toContain('>Version</text>');
  });

  test('is well-formed whatever nodes are called and texts say', async () => {
    const scene = await open(menu);
    const nasty = `<&>"'\u0000]]>`;
    updateNode(scene, 'Canvas/Stars', { name: 'a<b&"c' });
    setProperties(scene, 'Canvas/Title:cc.Label', { string: nasty });
    const { svg } = renderDocument(scene, { names: true });
    expect(svg).toContain('&lt;&amp;&gt;&quot;');
    expect(svg).not.toContain('\u0000');
    checkMarkup(svg);
  });
});

describe('A node', () => {
  test('is placed, turned and scaled as the engine does it, with up being up', async () => {
    const scene = await open(menu);
    setTransform(scene, 'Canvas/Title', {
      position: { x: 10, y: 20, z: 0 },
      rotation: { x: 0, y: 0, z: 90 },
      scale: { x: 2, y: 3, z: 1 },
    });
    const svg = renderDocument(scene).svg;
    const place = /transform="matrix\(([^)]*)\)"><title>Canvas\/Title</.exec(svg)?.[1];
    // A quarter turn against the clock: right becomes up, which is less in a picture.
    expect(numbersOf(place)).toEqual([0, -2, 3, 0, 10, -20]);
  });

  test('is as opaque as all above it let it be', async () => {
    const scene = await open(menu);
    addComponent(scene, 'Canvas/Stars', { type: 'cc.UIOpacity', properties: { opacity: 51 } });
    expect(renderDocument(scene).svg).toContain('<g opacity="0.2"');
    setProperties(scene, 'Canvas/Stars:cc.UIOpacity', { opacity: 0 });
    expect(renderDocument(scene).svg).not.toContain('Canvas/Stars');
  });

  test('is where its Widget puts it when the game starts, which is noted where the file has another place', async () => {
    const scene = await open(menu);
    setProperties(scene, 'Canvas/Version:cc.Widget', { right: 100, bottom: 50 });
    const { svg, notes } = renderDocument(scene);
    // Its middle: 480 - 100 - 80 to the right, 320 - 50 - 14 below the middle.
    expect(svg).toContain('<g transform="translate(300 256)"><title>Canvas/Version</title>');
    expect(notes).toEqual([
      'The Widget of "Canvas/Version" makes it 160×28 at 300, -256; the file has 160×28 at 388, -294.',
    ]);
    const stored = renderDocument(scene, { widgets: 'stored' });
    expect(stored.svg).toContain('<g transform="translate(388 294)"><title>Canvas/Version</title>');
    expect(stored.notes).toEqual([]);
  });

  test('stretched by its Widget takes what shares of its parent leave', async () => {
    const scene = await open(menu);
    setProperties(scene, 'Canvas/Background:cc.Widget', {
      left: 0.25,
      isAbsoluteLeft: false,
      top: 40,
    });
    const { notes } = renderDocument(scene);
    expect(notes.join()).toContain('makes it 720×600 at 120, -20');
  });
});

describe('A sprite', () => {
  test('with borders keeps its corners', async () => {
    const scene = await open(menu);
    const svg = drawn(scene, 'Canvas/Menu/Play');
    const parts = [
      ...svg.matchAll(/<svg x="([^"]*)" y="[^"]*" width="([^"]*)" height="([^"]*)" viewBox/g),
    ];
    expect(parts).toHaveLength(9);
    const sizes = parts.map(([, , width, height]) => `${width}x${height}`);
    const [edge, middle] = [
      ['16x16', '208x16', '16x16'],
      ['16x32', '208x32', '16x32'],
    ];
    expect(sizes).toEqual([edge, middle, edge].flat());
  });

  test('smaller than its borders shrinks them', async () => {
    const scene = await open(menu);
    setProperties(scene, 'Canvas/Menu:cc.UITransform', { contentSize: { width: 14, height: 100 } });
    const svg = drawn(scene, 'Canvas/Menu');
    expect(svg).toContain('width="7" height="14"');
  });

  test('is tinted, tiled or filled', async () => {
    const scene = await open(menu);
    const set = (properties: Parameters<typeof setProperties>[2]): string => {
      setProperties(scene, 'Canvas/Background:cc.Sprite', properties);
      return drawn(scene, 'Canvas/Background');
    };
    expect(set({ color: '#ff0000' })).toContain('values="1 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 1 0"');
    expect(set({ grayscale: true })).toContain('type="saturate"');
    expect(set({ type: 'TILED' })).toMatch(
      /<pattern [^>]*x="-480" y="160" width="240" height="160"/,
    );
    const filled = set({ type: 'FILLED', fillType: 'HORIZONTAL', fillStart: 0, fillRange: 0.25 });
    expect(filled).toContain('d="M-480 -320h240v640h-240z"');
    expect(set({ fillType: 'RADIAL', fillRange: -0.5 })).toContain('<clipPath');
  });

  test('whose image is not there is a crossed box, and is noted', async () => {
    const scene = await open(menu);
    const workspace = scene.workspace;
    workspace.draft.remove('assets/textures/sky.png');
    const { svg, notes } = renderDocument(scene);
    expect(svg).toContain('stroke="#d94682"');
    expect(notes.join()).toContain('assets/textures/sky.png');
  });

  test('of a mask is its shape', async () => {
    const scene = await open(menu);
    addComponent(scene, 'Canvas/Menu', { type: 'cc.Mask' });
    const svg = drawn(scene, 'Canvas/Menu');
    expect(svg).toMatch(/<mask [^>]*x="-160" y="-146" width="320" height="292"/);
    expect(svg).toMatch(/<g mask="url\(#d\d+\)">\s*<g[^>]*><title>Canvas\/Menu\/Play</);
    checkMarkup(svg);
  });

  test('below a mask is seen in its shape, or around it', async () => {
    const scene = await open(game);
    const svg = drawn(scene, 'Canvas/TopBar/Avatar');
    expect(svg).toContain('A32 32 0 0 1 32 0');
    expect(svg).toMatch(
      /<g clip-path="url\(#d\d+\)">\s*<g><title>Canvas\/TopBar\/Avatar\/Portrait/,
    );
    setProperties(scene, 'Canvas/TopBar/Avatar:cc.Mask', { inverted: true });
    expect(drawn(scene, 'Canvas/TopBar/Avatar')).toContain('d="M-100000 -100000');
  });
});

describe('A label', () => {
  /** A label in a box of 200 by 60, with lines of 20 in letters of 20. */
  async function label(properties: Parameters<typeof setProperties>[2]): Promise<string> {
    const scene = await open(menu);
    const size = { width: 200, height: 60 };
    createNode(scene, { parent: 'Canvas', name: 'Text', element: 'Label', size });
    const plain = { fontSize: 20, lineHeight: 20, overflow: 'CLAMP' };
    setProperties(scene, 'Canvas/Text:cc.Label', { ...plain, ...properties });
    return drawn(scene, 'Canvas/Text');
  }

  const lines = (svg: string): string[] =>
    [...svg.matchAll(/<tspan[^>]*>([^<]*)</g)].map(([, text = '']) => text);

  test('breaks its text between words, and long words where they end', async () => {
    const text = 'one two three four five six';
    expect(lines(await label({ string: text }))).toEqual(['one two three four five', 'six']);
    expect(lines(await label({ string: text, enableWrapText: false }))).toEqual([text]);
    expect(lines(await label({ string: 'W'.repeat(25) }))).toEqual([
      'W'.repeat(10),
      'W'.repeat(10),
      'WWWWW',
    ]);
    expect(lines(await label({ string: 'a\n\nb' }))).toEqual(['a', ' ', 'b']);
  });

  test('is aligned', async () => {
    const left = await label({ string: 'x', horizontalAlign: 'LEFT', verticalAlign: 'TOP' });
    expect(left).toContain('<tspan x="-100" y="-13" text-anchor="start">x<');
    const right = await label({ string: 'x', horizontalAlign: 'RIGHT', verticalAlign: 'BOTTOM' });
    expect(right).toContain('<tspan x="100" y="27" text-anchor="end">x<');
  });

  test('is cut off, shrunk, or as large as its text', async () => {
    const long = 'many words '.repeat(12);
    expect(await label({ string: long })).toContain('<clipPath');
    const shrunk = await label({ string: long, overflow: 'SHRINK' });
    expect(Number(/font-size="([\d.]+)"/.exec(shrunk)?.[1])).toBeLessThan(20);
    const free = await label({ string: long, overflow: 'NONE' });
    expect(lines(free)).toHaveLength(1);
    expect(free).not.toContain('<clipPath');
  });

  test('is bold, outlined, with a shadow', async () => {
    const svg = await label({
      string: 'x',
      isBold: true,
      enableOutline: true,
      outlineColor: '#00ff00',
      outlineWidth: 3,
      enableShadow: true,
      shadowOffset: { x: 2, y: -4 },
    });
    expect(svg).toContain('font-weight="bold"');
    expect(svg).toContain('stroke="#00ff00" stroke-width="6"');
    expect(svg).toContain('transform="translate(2 4)"');
  });

  test('with tags has its parts in their looks', async () => {
    const svg = drawn(await open(game), 'Canvas/Hint');
    expect(svg).toContain('<tspan fill="#ffe27a" font-weight="bold">stars</tspan>');
    expect(svg).toContain('<tspan fill="#ffffff">Catch </tspan>');
  });
});

describe.skipIf(!hasCorpus)(`Real scenes ${needsCorpus}`, () => {
  for (const [project, file, texts, nodes] of [
    ['xforge-3.8.3', 'assets/app-scene/main.scene', [], 9],
    ['customsnake-3.8.6', 'assets/scenes/main.scene', ['开始游戏', '历史记录'], 31],
  ] as const) {
    test(`${project}: nodes are where the editor has put them, and all images are there`, async () => {
      using real = ProjectCopy.ofCorpus(project);
      const picture = renderDocument(readDocument(await real.open(), file));
      expect(picture.notes).toEqual([]);
      expect(picture.nodes).toBe(nodes);
      for (const text of texts) expect(picture.svg).toContain(text);
      checkMarkup(picture.svg);
    });
  }
});

describe('what components do when the game starts', () => {
  /** Where nodes are drawn, by path. */
  function placesOf(document: SceneDocument): Map<string, string> {
    const { svg } = renderDocument(document);
    const drawnAt = /transform="translate\(([^)]*)\)"><title>([^<]*)<\/title>/g;
    return new Map([...svg.matchAll(drawnAt)].map(([, at = '', path = '']) => [path, at]));
  }

  test.each([
    ['HORIZONTAL', { spacingX: 10 }, ['-155 0', '-45 0', '65 0', '175 0']],
    [
      'HORIZONTAL',
      { horizontalDirection: 'RIGHT_TO_LEFT', paddingRight: 5 },
      ['150 0', '50 0', '-50 0', '-150 0'],
    ],
    ['VERTICAL', { paddingTop: 20 }, ['0 -155', '0 -105', '0 -55', '0 -5']],
    ['GRID', { spacingX: 50, spacingY: 10 }, ['-155 -175', '-5 -175', '145 -175', '-155 -115']],
    [
      'GRID',
      { constraint: 'FIXED_COL', constraintNum: 2 },
      ['-155 -175', '-55 -175', '-155 -125', '-55 -125'],
    ],
    ['GRID', { startAxis: 'VERTICAL', constraint: 'FIXED_ROW', constraintNum: 3 }, undefined],
  ] as const)('a Layout places its children: %s %j', async (type, properties, expected) => {
    const document = await open(menu);
    createNode(document, { parent: 'Canvas', name: 'Rows', size: { width: 410, height: 400 } });
    addComponent(document, 'Canvas/Rows', {
      type: 'cc.Layout',
      properties: { type, ...properties },
    });
    const names = ['A', 'B', 'C', 'D'];
    for (const name of names) {
      const size = { width: 100, height: 50 };
      createNode(document, { parent: 'Canvas/Rows', name, element: 'Sprite', size });
    }
    const places = placesOf(document);
    const found = names.map((name) => places.get(`Canvas/Rows/${name}`) ?? '0 0');
    const other = ['-155 -175', '-155 -125', '-155 -75', '-55 -175'];
    expect(found).toEqual(expected ?? other);
  });

  test('a Toggle hides its mark, a Slider moves its handle, a ProgressBar has its length', async () => {
    const document = await open(menu);
    for (const element of ['Toggle', 'Slider', 'ProgressBar'] as const) {
      createNode(document, { parent: 'Canvas', name: element, element });
    }
    expect(renderDocument(document).svg).toContain('Canvas/Toggle/Checkmark');
    const before = placesOf(document).get('Canvas/Slider/Handle');
    setProperties(document, 'Canvas/Toggle:cc.Toggle', { isChecked: false });
    setProperties(document, 'Canvas/Slider:cc.Slider', { progress: 1 });
    setProperties(document, 'Canvas/ProgressBar:cc.ProgressBar', { progress: 0.5 });
    const { svg } = renderDocument(document);
    expect(svg).not.toContain('Canvas/Toggle/Checkmark');
    expect(placesOf(document).get('Canvas/Slider/Handle')).not.toBe(before);
    expect(svg).toMatch(/<title>Canvas\/ProgressBar\/Bar<\/title>.*?width="150"/s);
  });
});

describe('as PNG', () => {
  /** The part of a picture that is not transparent. */
  const inkOf = async (png: Uint8Array): Promise<{ width: number; height: number }> =>
    trimBox(readImage(png), 8);

  test.each([
    ['Latin', 'Play'],
    ['accents', 'Příšerně'],
    ['Greek', 'Παίξε'],
    ['Cyrillic', 'Играть'],
  ])('has the letters of a label: %s', async (_, string) => {
    const document = await open(menu);
    setProperties(document, 'Canvas/Title:cc.Label', { string });
    const how = { node: 'Canvas/Title', outlines: false, background: 'none' } as const;
    const ink = await inkOf(await pngOf(renderDocument(document, how), { pixels: 400 }));
    setProperties(document, 'Canvas/Title:cc.Label', { string: '.' });
    const dot = await inkOf(await pngOf(renderDocument(document, how), { pixels: 400 }));
    expect(ink.width).toBeGreaterThan(4 * dot.width);
  });

  test('is as long on its longer side as is wanted', async () => {
    const svg = '<svg xmlns="http://www.w3.org/2000/svg" width="10" height="4000"/>';
    const tall = await pngOf({ svg, width: 10, height: 4000 }, { pixels: 1000 });
    expect(readImage(tall)).toMatchObject({ width: 3, height: 1000 });
  });

  test('fails where there is nothing that can be drawn, and when nobody waits', async () => {
    const wrong = pngOf({ svg: 'no markup', width: 1, height: 1 }, { pixels: 10 });
    await expect(wrong).rejects.toMatchObject({ code: 'E_UNAVAILABLE' });
    const { signal } = new AbortController();
    const picture = renderDocument(await open(menu));
    const given = AbortSignal.abort();
    await expect(pngOf(picture, { pixels: 100, signal: given })).rejects.toMatchObject({
      code: 'E_UNAVAILABLE',
    });
    expect((await pngOf(picture, { pixels: 100, signal })).length).toBeGreaterThan(100);
  });
});
