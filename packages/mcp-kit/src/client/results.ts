import type {
  GetPromptResult,
  Meta,
  Prompt,
  Resource,
  ResourceContents,
  ResourceTemplate,
  Tool,
} from '#protocol';

interface PageFields {
  /** Where to go on; absent on the last page. */
  readonly nextCursor?: string;
  readonly _meta?: Meta;
}

export interface ToolsPage extends PageFields {
  readonly tools: readonly Tool[];
}

export interface ResourcesPage extends PageFields {
  readonly resources: readonly Resource[];
}

export interface ResourceTemplatesPage extends PageFields {
  readonly resourceTemplates: readonly ResourceTemplate[];
}

export interface PromptsPage extends PageFields {
  readonly prompts: readonly Prompt[];
}

export interface ReadResourceResult {
  readonly contents: readonly ResourceContents[];
  readonly _meta?: Meta;
}

/** What an argument is completed for. */
export type CompletionReference =
  | { readonly type: 'ref/prompt'; readonly name: string }
  | { readonly type: 'ref/resource'; readonly uri: string };

export interface CompletionResult {
  readonly completion: {
    readonly values: readonly string[];
    readonly total?: number;
    readonly hasMore?: boolean;
  };
  readonly _meta?: Meta;
}

export type { GetPromptResult };
