export { type Picture, renderDocument, type RenderOptions } from './render.ts';
export { maxPixels, pngOf } from './png.ts';
