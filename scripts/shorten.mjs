// Shortens a bundle: less to parse at every start, with names where somebody may read them.
import { transform } from 'esbuild';

const importStatement = /^import \{([^}]*)\} from "([^"]+)";$/gm;
const exportStatement = /^export \{([^}]*)\};$/gm;

/**
 * The code of a bundle, which has its map in it, with short names for what is local to a function or private to a class, and
 * its map. Functions and classes keep theirs, for the sake of traces. No option of esbuild does that; but what is at the top
 * of a plain script might be used by others, so it is left alone there: as such the bundle is shortened, between its imports
 * and its exports.
 */
export async function shorten(bundled, options) {
  const imports = [];
  const exported = [];
  const take = (list) => (statement, names, from) => {
    list.push({ names: namesIn(names), from });
    // As many lines as before, for the map.
    return '\n'.repeat(statement.split('\n').length - 1);
  };
  const script = bundled
    .replaceAll(importStatement, take(imports))
    .replaceAll(exportStatement, take(exported));
  const { code, map } = await transform(script, {
    ...options,
    minify: true,
    sourcemap: 'external',
  });
  // Some names are only passed on.
  const text = [code, ...exported.flatMap(({ names }) => names)].join('\n');
  const isUsed = (name) => new RegExp(`\\b${name.split(' as ').at(-1)}\\b`).test(text);
  const lines = [
    ...imports.map(({ names, from }) => `import{${names.filter(isUsed)}}from"${from}";`),
    code.trimEnd(),
    ...exported.map(({ names }) => `export{${names}};`),
  ];
  const { sources, names, mappings } = JSON.parse(map);
  // What the bundling made up has no source.
  const known = sources.map((source) => (source.includes(':') ? null : source));
  const shifted = ';'.repeat(imports.length) + mappings;
  return {
    code: `${lines.join('\n')}\n`,
    map: JSON.stringify({ version: 3, sources: known, names, mappings: shifted }),
  };
}

const namesIn = (list) => list.split(',').map((name) => name.trim());
