export { isScriptPath, ScriptCatalog, type ScriptDescription, type ScriptFile } from './catalog.ts';
export type {
  PropertyType,
  ScriptClass,
  ScriptFacts,
  ScriptImport,
  ScriptProperty,
} from './facts.ts';
export { loadScriptReader, type ReadScript } from './read-script.ts';
