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
  const imports = new Map();
  const exported = [];
  // As many lines as before, for the map.
  const emptied = (statement) => '\n'.repeat(statement.split('\n').length - 1);
  const script = bundled
    .replaceAll(importStatement, (statement, names, from) => {
      imports.set(from, [...(imports.get(from) ?? []), ...namesIn(names)]);
      return emptied(statement);
    })
    .replaceAll(exportStatement, (statement, names) => {
      exported.push(namesIn(names));
      return emptied(statement);
    });
  const { code, map } = await transform(script, {
    ...options,
    minify: true,
    sourcemap: 'external',
  });
  const lines = [
    ...[...imports].map(([from, names]) => `import{${names}}from"${from}";`),
    code.trimEnd(),
    ...exported.map((names) => `export{${names}};`),
  ];
  const { sources, names, mappings } = JSON.parse(map);
  // What the bundling made up has no source.
  const known = sources.map((source) => (source.includes(':') ? null : source));
  const shifted = ';'.repeat(imports.size) + mappings;
  return {
    code: `${lines.join('\n')}\n`,
    map: JSON.stringify({ version: 3, sources: known, names, mappings: shifted }),
  };
}

const namesIn = (list) => list.split(',').map((name) => name.trim());
