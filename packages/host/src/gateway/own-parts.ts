import {
  appUriOf,
  clientOf,
  isVisibleTo,
  showsApps,
  type Exchange,
  type JsonSchema,
  type Layer,
} from 'mcp-kit/internal';
import type { Disclosure, GatewaySettings } from '@mcp-kit/host';
import type { GatewayCatalog } from './catalog.ts';
import { disclose, type Disclosed } from './disclosure/disclosure.ts';
import { callerOfEffect, effectOfCaller } from './disclosure/small-set.ts';
import { promised } from './edge.ts';
import type { Listing } from './upstream/listing.ts';
import type { OwnTool } from './own-tools.ts';
import { jsonTexts } from './results/json-text.ts';
import { keepLarge } from './results/keep.ts';
import type { Views } from './policy/view.ts';
import { readerName, resultReader, type ResultReader } from './results/reader.ts';
import { resultLimits, type ResultLimits } from './results/settings.ts';
import { ResultStore } from './results/store.ts';

/** What a gateway adds to what its servers have: tools of its own, and the layers that they belong to. */
export interface OwnParts {
  readonly disclosed: Disclosed;
  readonly reader: ResultReader;
  readonly own: ReadonlyMap<string, OwnTool>;
  /** The outermost first. */
  readonly layers: readonly Layer[];
  /** Whether a tool is one of the gateway itself. */
  has(tool: string): boolean;
  close(): void;
}

export interface OwnPartsOptions {
  /** What is told now. */
  settings(): Pick<GatewaySettings, 'disclosure' | 'results'>;
  catalog(): GatewayCatalog;
  /** What is known of each server. */
  listings(): ReadonlyMap<string, Listing>;
  /** Who sees which of the tools. */
  readonly views: Views;
  /** Told when a result is kept. */
  kept(): void;
}

export function ownParts(options: OwnPartsOptions): OwnParts {
  const { settings, catalog, listings, views, kept } = options;
  const own = new Map<string, OwnTool>();
  const limits = (): ResultLimits | undefined => resultLimits(settings().results);
  const store = new ResultStore(() => limits() ?? { maxBytes: 0, lifetimeMs: 1 });
  const texts = jsonTexts();
  const reader = resultReader(store, texts, limits);
  const mode = (): Disclosure => settings().disclosure ?? 'auto';
  const disclosed = disclose({
    mode,
    catalog,
    listings,
    own,
    shows: (name, { principal }) => views.showsTool(catalog(), name, principal),
  });
  for (const one of [reader, disclosed.search]) own.set(one.tool.name, one);
  /** Through a caller nothing was promised. */
  const outputSchema = (exchange: Exchange): JsonSchema | undefined => {
    if (disclosed.isPassed(exchange)) return undefined;
    const tool = catalog().tools.find(({ name }) => name === exchange.message.params?.['name']);
    return tool && promised(exchange, tool);
  };
  const readerFor = (exchange: Exchange): string =>
    disclosed.view(clientOf(exchange)) === 'full'
      ? `the tool ${readerName}`
      : `${callerOfEffect('read')} with name ${readerName} and arguments`;
  const isShown = (exchange: Exchange): boolean => {
    const name = String(exchange.message.params?.['name']);
    if (own.has(name)) return true;
    if (!showsApps(clientOf(exchange).capabilities)) return false;
    const tool = catalog().tools.find((one) => one.name === name);
    return tool !== undefined && (appUriOf(tool) !== undefined || !isVisibleTo('model', tool));
  };
  const keeping = keepLarge({ kept, store, texts, limits, isShown, outputSchema, readerFor });
  return {
    disclosed,
    reader,
    own,
    layers: [disclosed.layer, keeping],
    has: (tool) => own.has(tool) || effectOfCaller(tool) !== undefined,
    close: () => store.close(),
  };
}
