import { CocosError, isObject, type Json, structureFields, typeOf } from '#cocos/document';

/** What makes the tree and the identity of objects; only edits that know both sides may change it. */
const structure = new Set(['__type__', '_id', ...structureFields]);

/** Refuses raw values that could tear a document apart. */
export function refuseStructure(path: readonly string[], value: Json): void {
  const [field = ''] = path;
  const refers = JSON.stringify(value).includes('"__id__"');
  if (path.length > 0 && !structure.has(field) && path.at(-1) !== '__type__' && !refers) return;
  throw new CocosError(
    'E_INVALID_ARGUMENT',
    refers ? 'A raw value cannot refer to objects.' : `"${path.join('.')}" cannot be set.`,
    {
      suggestion: refers
        ? 'Set references with the properties of the component.'
        : 'Use the tools that create, move and delete nodes and components.',
    },
  );
}

/** Refuses raw values of another kind than what is there: the engine would not load them. */
export function refuseOtherKind(
  path: readonly string[],
  value: Json,
  current: Json | undefined,
): void {
  const [wanted, given] = [kindOf(current ?? null), kindOf(value)];
  // What may be absent is a reference, or was.
  if (wanted === given || wanted === 'null' || (wanted === 'object' && given === 'null')) return;
  throw new CocosError(
    'E_INVALID_ARGUMENT',
    `"${path.join('.')}" is of the kind ${wanted}; the value is of the kind ${given}.`,
    { suggestion: `Give a value like the one that is there: ${JSON.stringify(current)}` },
  );
}

function kindOf(value: Json): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  return isObject(value) ? typeOf(value) || 'object' : typeof value;
}
