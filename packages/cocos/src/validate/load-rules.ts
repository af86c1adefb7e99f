import type { Inspection } from './inspection.ts';
import { perTypes } from './walk.ts';

const limits = { nodes: 1000, depth: 32, labels: 100, masks: 20 };

/** `performance`: how much there is of what costs time on phones. */
export function checkLoad(inspection: Inspection): void {
  const { view, tree } = inspection;
  if (view === undefined) return;
  const counts = { nodes: 0, depth: 0, labels: 0, masks: 0 };
  const costsOf = perTypes((types) => ({
    isMask: types.includes('cc.Mask'),
    labelAt: types.indexOf('cc.Label'),
  }));
  for (const { depth, components, types } of tree) {
    const { isMask, labelAt } = costsOf(types);
    counts.nodes += 1;
    counts.depth = Math.max(counts.depth, depth);
    if (isMask) counts.masks += 1;
    const label = components[labelAt];
    if (label !== undefined && !view.at(label.index)['_cacheMode']) counts.labels += 1;
  }
  const say = (message: string, suggestion: string): void => {
    inspection.issues.push({ code: 'performance', at: view.root, message, suggestion });
  };
  if (counts.nodes > limits.nodes) {
    say(
      `There are ${counts.nodes} nodes; over ${limits.nodes} take long to load.`,
      'Make prefabs of parts, and instantiate them when they are needed.',
    );
  }
  if (counts.depth > limits.depth) {
    say(
      `Nodes are nested ${counts.depth} deep; over ${limits.depth} slow every movement down.`,
      'Take out nodes that only hold others.',
    );
  }
  if (counts.labels > limits.labels) {
    say(
      `There are ${counts.labels} labels without a cache; over ${limits.labels} cost a texture each.`,
      'Set their cacheMode to BITMAP, or to CHAR where the text changes often.',
    );
  }
  if (counts.masks > limits.masks) {
    say(
      `There are ${counts.masks} masks; each of more than ${limits.masks} breaks up the drawing.`,
      'Replace some by images with transparent edges.',
    );
  }
}
