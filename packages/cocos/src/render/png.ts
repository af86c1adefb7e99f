import { createRequire } from 'node:module';
import { Worker } from 'node:worker_threads';
import { CocosError } from '#cocos/document';
import { fontFamily, fonts } from './font.ts';
import type { Picture } from './render.ts';

/** How long the longer side of a picture may be, in pixels. */
export const maxPixels = 2048;

const timeoutMs = 30_000;

/** Runs on a thread of its own: a large picture takes seconds, and what is wrong with one must not end the process. */
const worker = `
const { readFileSync } = require('node:fs');
const { parentPort, workerData } = require('node:worker_threads');
const { library, wasm, svg, options, compiled } = workerData;
const { initWasm, Resvg } = require(library);
const module = compiled ?? new WebAssembly.Module(readFileSync(wasm));
initWasm(module).then(() => {
  parentPort.postMessage({ png: new Resvg(svg, options).render().asPng(), module });
});
`;

interface Drawn {
  readonly png: Uint8Array;
  readonly module: unknown;
}

/** What the first thread compiled: to do so takes longer than to draw. */
let compiled: unknown;

/** Draws a picture as PNG, the longer side of so many pixels. */
export async function pngOf(
  { svg, width, height }: Pick<Picture, 'svg' | 'width' | 'height'>,
  { pixels, signal }: { readonly pixels: number; readonly signal?: AbortSignal | undefined },
): Promise<Uint8Array> {
  const places = placesOfLibrary();
  const font = {
    fontBuffers: await fonts(),
    defaultFontFamily: fontFamily,
    sansSerifFamily: fontFamily,
    monospaceFamily: fontFamily,
    serifFamily: fontFamily,
  };
  const mode = width < height ? 'height' : 'width';
  const options = { font, fitTo: { mode, value: Math.min(pixels, maxPixels) } };
  const workerData = { ...places, svg, options, compiled };
  const drawing = new Worker(worker, { eval: true, workerData });
  const timer = setTimeout(() => void drawing.terminate(), timeoutMs);
  const stop = (): void => void drawing.terminate();
  signal?.addEventListener('abort', stop, { once: true });
  if (signal?.aborted === true) stop();
  try {
    const drawn = await new Promise<Drawn>((resolve, reject) => {
      drawing.once('message', resolve);
      drawing.once('error', (cause) => reject(cannotDraw(String(cause), cause)));
      drawing.once('exit', () => reject(cannotDraw('it was given up')));
    });
    compiled = drawn.module;
    return drawn.png;
  } finally {
    clearTimeout(timer);
    signal?.removeEventListener('abort', stop);
    await drawing.terminate();
  }
}

/** Where the library is; it can be left out of an installation. */
function placesOfLibrary(): { readonly library: string; readonly wasm: string } {
  const { resolve } = createRequire(import.meta.url);
  try {
    resolve('@fontsource/arimo/LICENSE');
    const library = resolve('@resvg/resvg-wasm');
    return { library, wasm: resolve('@resvg/resvg-wasm/index_bg.wasm') };
  } catch (cause) {
    throw new CocosError('E_UNAVAILABLE', 'What draws PNG is not installed.', {
      suggestion: 'Ask for SVG, or install @resvg/resvg-wasm and @fontsource/arimo.',
      cause,
    });
  }
}

function cannotDraw(reason: string, cause?: unknown): CocosError {
  return new CocosError('E_UNAVAILABLE', `The picture cannot be drawn as PNG: ${reason}.`, {
    suggestion: 'Ask for SVG, or for a part of the scene.',
    cause,
  });
}
