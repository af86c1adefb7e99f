export { isScriptPath, ScriptCatalog, type ScriptDescription, type ScriptFile } from './catalog.ts';
export type {
  PropertyType,
  ScriptClass,
  ScriptFacts,
  ScriptImport,
  ScriptProperty,
} from './facts.ts';
export { readScript } from './read-script.ts';
