export {
  newImageMeta,
  spriteFrameId,
  textureId,
  trimmedImageMeta,
  updateImageMeta,
  type ImageType,
  type ImporterVersions,
  type NewImage,
} from './image-meta.ts';
export { readImage, type ImageFacts } from './read-image.ts';
export { trimBox, type Box } from './trim.ts';
