import { chain, KitError, withoutUndefined, type MaybePromise } from '#base';
import { appMimeType, appScheme, appsExtension, type Resource } from '#protocol';
import type { Context } from './context.ts';
import { resources, type ResourceSet } from './resources.ts';

/** What the page of an app may load, and from where: origins such as `https://example.com`. Without any it loads nothing. */
interface AppPolicy {
  /** For `fetch` and sockets. */
  readonly connectDomains?: readonly string[] | undefined;
  /** For scripts, styles, images, fonts and media. */
  readonly resourceDomains?: readonly string[] | undefined;
  /** For frames in the page. */
  readonly frameDomains?: readonly string[] | undefined;
  /** For `<base>`. */
  readonly baseUriDomains?: readonly string[] | undefined;
}

/** A page that a host shows beside what a tool answers. */
export interface AppDefinition extends Omit<Resource, 'mimeType' | 'size' | '_meta'> {
  /** A whole page of HTML, or what makes one. */
  readonly html: string | ((context: Context) => MaybePromise<string>);
  readonly csp?: AppPolicy | undefined;
  /** What the page asks its host for. */
  readonly permissions?:
    | readonly ('camera' | 'microphone' | 'geolocation' | 'clipboardWrite')[]
    | undefined;
  /** An origin of its own, as the host gives it out. */
  readonly domain?: string | undefined;
  /** Whether the host is to draw a border around it. */
  readonly prefersBorder?: boolean | undefined;
}

/** Makes a feature of apps: pages at `ui://` URIs. A tool says with `app` which one shows what it answers. */
export function apps(definitions: readonly AppDefinition[]): ResourceSet {
  const set = resources({
    resources: definitions.map((definition) => {
      const { html, csp, permissions, domain, prefersBorder, ...about } = definition;
      const { uri } = about;
      if (!uri.startsWith(appScheme)) {
        throw new KitError('invalid_argument', `the app ${about.name} has the URI ${uri}`, {
          hint: `Let it begin with ${appScheme}.`,
        });
      }
      const asked = permissions && Object.fromEntries(permissions.map((one) => [one, {}]));
      const ui = withoutUndefined({ csp, permissions: asked, domain, prefersBorder });
      const _meta = { ui };
      return {
        ...about,
        mimeType: appMimeType,
        _meta,
        // Hosts look at what is read before what is listed.
        read: (context) =>
          chain(typeof html === 'string' ? html : html(context), (text) => [
            { uri, mimeType: appMimeType, text, _meta },
          ]),
      };
    }),
  });
  const extensions = { [appsExtension]: {} };
  return { ...set, capabilities: { ...set.capabilities, extensions } };
}
