export { type Picture, renderDocument, type RenderOptions } from './render.ts';
