import { isRecord } from '#jsonrpc';
import type { ClientCapabilities, Tool } from './model/types.ts';

/** The extension for apps, among the capabilities of a client. */
export const appsExtension = 'io.modelcontextprotocol/ui';

/** The type of a page that is an app. */
export const appMimeType = 'text/html;profile=mcp-app';

/** How the URIs of apps begin. */
export const appScheme = 'ui://';

/** Where the URI of an app stood in `_meta` before it was put into `ui`; some servers still say both. */
const formerKey = 'ui/resourceUri';

/** Who may call a tool: the model of a host, or the app that the host shows. */
type Visibility = 'model' | 'app';

/** How a tool goes together with an app. */
export interface ToolApp {
  /** The app that shows what the tool answers: a `ui://` URI. */
  readonly resourceUri?: string | undefined;
  /** Who may call it; by default both. */
  readonly visibility?: readonly Visibility[] | undefined;
}

/** The URI of the app that shows what a tool answers, if there is one. */
export function appUriOf({ _meta }: Pick<Tool, '_meta'>): string | undefined {
  const ui = _meta?.['ui'];
  const uri = (isRecord(ui) ? ui['resourceUri'] : undefined) ?? _meta?.[formerKey];
  return typeof uri === 'string' ? uri : undefined;
}

/** Whether somebody may call a tool; a tool that says nothing is for everybody. */
export function isVisibleTo(who: Visibility, { _meta }: Pick<Tool, '_meta'>): boolean {
  const ui = _meta?.['ui'];
  const visibility = isRecord(ui) ? ui['visibility'] : undefined;
  return !Array.isArray(visibility) || visibility.includes(who);
}

/** Whether a client shows apps. */
export function showsApps({ extensions }: ClientCapabilities): boolean {
  const said: unknown = extensions?.[appsExtension];
  const types = isRecord(said) ? said['mimeTypes'] : undefined;
  return Array.isArray(types) && types.includes(appMimeType);
}

/** The same, where the URI of its app is another one; without an app it stays the same object. */
export function withAppUri<T extends { readonly _meta?: unknown }>(
  thing: T,
  rename: (uri: string) => string,
): T {
  const meta = thing._meta;
  if (!isRecord(meta)) return thing;
  const { ui } = meta;
  const own = isRecord(ui) ? ui['resourceUri'] : undefined;
  const former = meta[formerKey];
  let renamed: Record<string, unknown> = meta;
  if (typeof own === 'string') {
    renamed = { ...renamed, ui: { ...Object(ui), resourceUri: rename(own) } };
  }
  if (typeof former === 'string') renamed = { ...renamed, [formerKey]: rename(former) };
  return renamed === meta ? thing : { ...thing, _meta: renamed };
}
