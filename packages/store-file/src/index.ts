export { openFileStore, type FileStore, type FileStoreOptions } from './file-store.ts';
