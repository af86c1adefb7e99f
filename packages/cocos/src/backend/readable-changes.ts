import { decodeValue } from '#cocos/components';
import { type Change, isList, isObject, isScriptType, type Json } from '#cocos/document';
import { assetName, typeName, type Workspace } from '#cocos/edit';

/** Changes with what people call things in place of what files store: assets by URL, scripts by class, colours as text. */
export function readableChanges(workspace: Workspace, changes: readonly Change[]): Change[] {
  const context = {
    asset: (uuid: string) => assetName(workspace, uuid),
    object: (index: number) => `#${index}`,
  };
  const read = (value: Json | undefined): Json | undefined =>
    value === undefined
      ? undefined
      : withNames(workspace, decodeValue({ kind: 'any' }, value, context));
  return changes.map((change) => ({ ...change, from: read(change.from), to: read(change.to) }));
}

/** The class of a script is stored as a text of its own, or behind the path of a node. */
function withNames(workspace: Workspace, value: Json): Json {
  if (isList(value)) return value.map((part) => withNames(workspace, part));
  if (isObject(value)) {
    const parts = Object.entries(value).map(([key, part]) => [key, withNames(workspace, part)]);
    return Object.fromEntries(parts) as Json;
  }
  if (typeof value !== 'string') return value;
  const colon = value.lastIndexOf(':') + 1;
  const type = value.slice(colon);
  return isScriptType(type) ? `${value.slice(0, colon)}${typeName(workspace, type)}` : value;
}
