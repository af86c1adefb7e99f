import type { Change } from '#cocos/document';
import { openDocument, requireNode, type SceneDocument, type Workspace } from '#cocos/edit';
import type { AnySchema, GovernedTraits, Infer, InferInput, ToolTraits } from 'mcp-kit/tools';

/** What edits are carried out on. */
export interface EditRun {
  readonly workspace: Workspace;
  /** The path of the scene or prefab of edits that name none. */
  currentDocument(): string;
  /** The bytes of a file that is imported. */
  readSource(source: string): Uint8Array;
}

/** What became of one edit. */
interface EditOutcome<Result = object> {
  /** What is answered. */
  readonly result: Result;
  readonly changes: readonly Change[];
  /** What later edits mean by the name that this one gives. */
  readonly made?: string | undefined;
}

/** The same type where members that may be absent may be undefined, too, and lists may be read-only. */
export type Loose<Type> = Type extends readonly (infer Item)[]
  ? readonly Loose<Item>[]
  : Type extends object
    ? {
        readonly [Name in keyof Type]: object extends Pick<Type, Name>
          ? Loose<Type[Name]> | undefined
          : Loose<Type[Name]>;
      }
    : Type;

/** What an edit takes, where members that may be absent may be undefined, too. */
type ArgsOf<In> = {
  readonly [Name in keyof Infer<In>]: object extends Pick<Infer<In>, Name>
    ? Infer<In>[Name] | undefined
    : Infer<In>[Name];
};

/** The schema of an object, to which members can be added. */
export type ObjectSchema = AnySchema & {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, unknown>>;
};

/** What every edit is declared with besides its types. */
interface EditTraits<Op extends string> extends ToolTraits, GovernedTraits {
  readonly op: Op;
  /** The name of the tool that offers it; absent: only workflows use it. */
  readonly tool?: string | undefined;
  readonly description: string;
  /** Whether it takes names as files have them, and so tells its changes. */
  readonly storedNames?: boolean | undefined;
}

/** One edit of a project: what it takes and answers, how it is done, and the tool that offers it. */
export interface EditDefinition<
  Op extends string = string,
  Args = never,
  Result = object,
> extends EditTraits<Op> {
  readonly input: ObjectSchema;
  readonly output: ObjectSchema;
  /** Whether the editor can do it to its open scene by messages; if not, the editor loads the scene again. */
  byMessages(args: Args): boolean;
  /** Does it to the draft. */
  run(args: Args, run: EditRun): EditOutcome<Result> | Promise<EditOutcome<Result>>;
}

/** Declares an edit; the plan, the batch, the tool and the way through the editor follow from it. */
export function defineEdit<
  const Op extends string,
  const In extends ObjectSchema,
  const Out extends ObjectSchema,
>({
  byMessages = false,
  ...definition
}: EditTraits<Op> & {
  readonly input: In;
  readonly output: Out;
  readonly byMessages?: (boolean | ((args: ArgsOf<In>) => boolean)) | undefined;
  run: EditDefinition<Op, ArgsOf<In>, Loose<InferInput<Out>>>['run'];
}): EditDefinition<Op, ArgsOf<In>, Loose<InferInput<Out>>> {
  return {
    ...definition,
    byMessages: typeof byMessages === 'function' ? byMessages : () => byMessages,
  };
}

/** The scene or prefab that an edit names, or else the current one. */
export function documentOf(
  { scenePath }: { readonly scenePath?: string | undefined },
  { workspace, currentDocument }: EditRun,
): SceneDocument {
  return openDocument(workspace, scenePath ?? currentDocument());
}

/** The scene or prefab of an edit, with the handle of the node that it names. */
export function nodeOf(
  args: { readonly scenePath?: string | undefined; readonly nodeUuid: string },
  run: EditRun,
): { document: SceneDocument; handle: string } {
  const document = documentOf(args, run);
  return { document, handle: requireNode(document, args.nodeUuid).handle };
}
