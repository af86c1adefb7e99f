import type { Json } from '#cocos/document';

/** A place in a recipe that shall point at another part of it. */
export interface Link {
  readonly link: string;
}

/** What a part of a recipe stores: values of fields by stored name, or links to other parts. */
export type RecipeValues = Readonly<Record<string, Json | Link>>;

/** A component to make; what `values` leaves out has the value the engine begins with. */
export interface ComponentRecipe {
  readonly type: string;
  readonly values?: RecipeValues | undefined;
  /** What links call it. */
  readonly key?: string | undefined;
}

/** A node to make, with all below it. */
export interface NodeRecipe {
  readonly name: string;
  readonly active?: boolean | undefined;
  readonly position?: readonly [x: number, y: number, z?: number] | undefined;
  /** Where it is not that of the parent. */
  readonly layer?: number | undefined;
  readonly components: readonly ComponentRecipe[];
  readonly children?: readonly NodeRecipe[] | undefined;
  /** What links call it. */
  readonly key?: string | undefined;
}

/** How large an element is. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** A link to the part with that key. */
export function link(key: string): Link {
  return { link: key };
}

/** Whether a value of a recipe is a link. */
export function isLink(value: Json | Link): value is Link {
  return typeof value === 'object' && value !== null && 'link' in value;
}
