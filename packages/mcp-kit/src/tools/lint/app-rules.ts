import { isRecord } from '#jsonrpc';
import { appMimeType, appScheme, appUriOf, type Meta } from '#protocol';
import type { LintedApp, LintedTool, Remark, Rule } from './rule.ts';

/** The names of the rules below. */
export type AppRule = 'app-uri' | 'app-there' | 'app-type' | 'app-origins' | 'app-visibility';

/** What a tool says of its app in `_meta`, right or wrong. */
export function appIn(meta: Meta): LintedApp | undefined {
  const { ui } = meta;
  const resourceUri = appUriOf({ _meta: meta }) ?? (isRecord(ui) ? ui['resourceUri'] : undefined);
  const visibility = isRecord(ui) ? ui['visibility'] : undefined;
  return resourceUri === undefined && visibility === undefined
    ? undefined
    : { resourceUri, visibility };
}

const origin =
  /^(?:https|wss|http|ws):\/\/(?:\*\.)?[a-z0-9](?:[a-z0-9.-]*[a-z0-9])?(?::\d{1,5})?$/i;
const lists = ['connectDomains', 'resourceDomains', 'frameDomains', 'baseUriDomains'];

/** What hosts need of the apps of tools. */
export const appRules: Readonly<Record<AppRule, Rule>> = {
  'app-uri': {
    level: 'error',
    protocol: true,
    demand: 'The app of a tool has a URI that begins with `ui://`.',
    check({ app: { resourceUri } = {} }) {
      if (resourceUri === undefined) return [];
      if (typeof resourceUri === 'string' && resourceUri.startsWith(appScheme)) return [];
      const message = `its app has the URI ${JSON.stringify(resourceUri)}`;
      return [{ message, hint: `Let it begin with ${appScheme}.` }];
    },
  },
  'app-there': {
    level: 'error',
    protocol: true,
    demand: 'The app that a tool names can be read.',
    check: ({ app }) =>
      app?.page === null
        ? [
            {
              message: `there is no page at ${String(app.resourceUri)}`,
              hint: 'Serve it with apps([…]).',
            },
          ]
        : [],
  },
  'app-type': {
    level: 'error',
    protocol: true,
    demand: `The page of an app is \`${appMimeType}\`.`,
    check({ app }) {
      const { page } = app ?? {};
      if (!isRecord(page) || page['mimeType'] === appMimeType) return [];
      const message = `the type of its app is ${String(page['mimeType'])}`;
      return [{ message, hint: `Hosts show only ${appMimeType}.` }];
    },
  },
  'app-origins': {
    level: 'error',
    protocol: true,
    demand: 'What an app may load is named by lists of origins, such as `https://example.com`.',
    check: originRemarks,
  },
  'app-visibility': {
    level: 'error',
    protocol: true,
    demand: 'A tool is visible to `model`, `app`, or both.',
    check({ app: { visibility } = {} }) {
      if (visibility === undefined) return [];
      const isRight =
        Array.isArray(visibility) &&
        visibility.length > 0 &&
        visibility.every((who) => who === 'model' || who === 'app');
      const message = `its visibility is ${JSON.stringify(visibility)}`;
      return isRight ? [] : [{ message, hint: 'Name those who may call it: ["model", "app"].' }];
    },
  },
};

function originRemarks({ app }: LintedTool): readonly Remark[] {
  const { page } = app ?? {};
  const meta = isRecord(page) ? page['_meta'] : undefined;
  const ui = isRecord(meta) ? meta['ui'] : undefined;
  const csp = isRecord(ui) ? ui['csp'] : undefined;
  if (csp === undefined) return [];
  if (!isRecord(csp)) return [{ message: 'the csp of its app is not an object' }];
  return Object.entries(csp).flatMap(([name, origins]) => {
    if (!lists.includes(name)) {
      return [
        { message: `the csp of its app has "${name}"`, hint: `Hosts know ${lists.join(', ')}.` },
      ];
    }
    if (!Array.isArray(origins)) return [{ message: `${name} of its app is not a list` }];
    return origins
      .filter((one) => typeof one !== 'string' || !origin.test(one))
      .map((one) => ({
        message: `${name} of its app has ${JSON.stringify(one)}, which is not an origin`,
        hint: 'Name scheme and host: https://example.com or https://*.example.com.',
      }));
  });
}
