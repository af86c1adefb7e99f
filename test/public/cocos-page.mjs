// What trying real projects came to, as a page: names and numbers, and nothing of what is in them.
import { table } from '../../bench/lib/table.mjs';

const count = (value) => (value ?? 0).toLocaleString('en-US');
const sum = (counts) => Object.values(counts).reduce((all, each) => all + each, 0);

/** Numbers by name of several results as those of all. */
function together(all) {
  const sums = {};
  for (const counts of all) {
    for (const [name, value] of Object.entries(counts)) sums[name] = (sums[name] ?? 0) + value;
  }
  return Object.entries(sums).toSorted(([, one], [, other]) => other - one);
}

function projectTable(results) {
  const head = ['project', 'commit', 'Creator', 'scenes', 'prefabs', 'assets'];
  const rows = results.map(({ name, commit = '–', creator, counts }) => [
    name,
    commit.slice(0, 12),
    `${creator}`,
    ...[counts?.scenes, counts?.prefabs, counts?.assets].map(count),
  ]);
  return table(head, rows);
}

function resultTable(results) {
  const head = ['project', 'opened', 'edits done', 'refused', 'undone', 'not as before', 'bugs'];
  const rows = results.map(({ name, opening, edits, undo, changed, bugs }) => [
    name,
    `${count(opening.opened)} of ${count(opening.documents)}`,
    `${count(edits.count)} of ${count(edits.asked)}`,
    count(sum(edits.refused)),
    count(undo.undone),
    count(changed.length),
    count(bugs.length),
  ]);
  return table(head, rows);
}

/** A sentence for each project that has scenes or prefabs which cannot be opened. */
const unopenedOf = (results, known) =>
  results
    .filter(({ opening }) => opening.opened < opening.documents)
    .map(({ name, opening }) => {
      const codes = Object.entries(opening.refused).map(([code, times]) => `${times} \`${code}\``);
      return `Not opened of ${name}: ${codes.join(', ')}. ${known[name]?.unopened ?? ''}\n\n`;
    })
    .join('');

function findingTable(results, known) {
  const head = ['project', 'finding', 'severity', 'count', 'why'];
  const rows = results.flatMap(({ name, findings }) =>
    Object.entries(findings).map(([code, { severity, count: found }]) => [
      name,
      `\`${code}\``,
      severity,
      count(found),
      known[name]?.[code] ?? 'not looked at',
    ]),
  );
  return rows.length === 0 ? 'None.' : table(head, rows);
}

/** The page about a run. */
export function pageOf(results, { edits, seed, known, node }) {
  const done = together(results.map((result) => result.edits.done));
  const refused = together(results.map((result) => result.edits.refused));
  return `# The Cocos tools on public projects

Written by \`npm run public-projects -- --edits ${edits} --seed ${seed} …\` with Node ${node}.

Each project was copied, validated, and every scene and prefab of it opened, shown, checked and drawn. Then came ${edits} random
edits, of nodes, components, properties, prefabs, assets, batches and workflows, some of them wrong on purpose, and all that was
done was undone. Afterwards every byte must be as before, and no answer may have been \`E_INTERNAL\`.

${projectTable(results)}

${resultTable(results)}

${unopenedOf(results, known)}A write that changes nothing is done and leaves nothing to undo.

## Findings

What the validator said of the projects as they are, and whether it is true of them.

${findingTable(results, known)}

## Edits

Done, by tool:

${table(
  ['tool', 'calls'],
  done.map(([tool, calls]) => [`\`${tool}\``, count(calls)]),
)}

Refused, by code:

${table(
  ['code', 'calls'],
  refused.map(([code, calls]) => [`\`${code}\``, count(calls)]),
)}
`;
}
