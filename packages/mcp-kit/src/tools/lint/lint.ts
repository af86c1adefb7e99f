import { withoutUndefined } from '#base';
import { isRecord } from '#jsonrpc';
import type { Tool as ListedTool } from '#protocol';
import type { ToolLayer } from '../tool.ts';
import { appIn, appRules, type AppRule } from './app-rules.ts';
import { nameRules, type NameRule } from './name-rules.ts';
import { parameterRules, type ParameterRule } from './parameter-rules.ts';
import { patternRules, type PatternRule } from './pattern-rules.ts';
import { protocolRules, type ProtocolRule } from './protocol-rules.ts';
import type { LintedTool, Remark, Rule, RuleSettings } from './rule.ts';
import { traitRules, type TraitRule } from './trait-rules.ts';

/** The name of a rule. */
type RuleId = ProtocolRule | NameRule | ParameterRule | PatternRule | TraitRule | AppRule;

const rules: Readonly<Record<RuleId, Rule>> = {
  ...protocolRules,
  ...nameRules,
  ...parameterRules,
  ...patternRules,
  ...traitRules,
  ...appRules,
};

/** Every rule: how serious it is, and what it demands. */
export const lintRules: Readonly<
  Record<RuleId, Pick<Rule, 'level' | 'demand' | 'governed' | 'protocol'>>
> = rules;

/** Something that a rule found. */
export interface Finding extends Remark {
  readonly rule: RuleId;
  readonly level: 'error' | 'warning';
  readonly tool: string;
}

export interface LintOptions extends Partial<RuleSettings> {
  /** Rules to leave out. */
  readonly ignore?: readonly RuleId[] | undefined;
}

const defaults: RuleSettings = {
  parameterNames: {
    nodeId: 'nodeUuid',
    nodeUUID: 'nodeUuid',
    uuid: 'nodeUuid',
    parentId: 'parentUuid',
    parentNodeUuid: 'parentUuid',
    scene: 'scenePath',
    sceneUrl: 'scenePath',
    assetUrl: 'assetPath',
    assetId: 'assetUuid',
  },
  coordinates: ['position', 'rotation', 'scale'],
  maxCoreTools: 40,
};

/** What is wrong with tools, by the rules; takes manifests, or what `tools/list` of any server says. */
export function lintTools(
  tools: readonly LintedTool[],
  options: LintOptions = {},
): readonly Finding[] {
  const { ignore = [], ...own } = options;
  const settings = { ...defaults, ...own };
  return Object.entries(rules).flatMap(([id, rule]) => {
    const ruleId = id as RuleId;
    if (ignore.includes(ruleId)) return [];
    const concerned = rule.governed ? tools.filter(({ layer }) => layer !== undefined) : tools;
    const remarks =
      'checkSet' in rule
        ? rule.checkSet(concerned, settings)
        : concerned.flatMap((tool) =>
            rule.check(tool, settings).map((remark) => ({ ...remark, tool: tool.name })),
          );
    return remarks.map((remark) => ({ rule: ruleId, level: rule.level, ...remark }));
  });
}

const layers: readonly string[] = ['core', 'advanced', 'internal'];

/** A tool of `tools/list` as the linter takes it; the traits are those it is listed with, if any. */
export function fromListed({ name, description, inputSchema, ...rest }: ListedTool): LintedTool {
  const { outputSchema, _meta: meta = {} } = rest;
  const { layer, category, safety, idempotent, supportsDryRun } = meta;
  const tool = withoutUndefined({
    name,
    inputSchema,
    description,
    outputSchema: isRecord(outputSchema) ? outputSchema : undefined,
    app: appIn(meta),
  });
  if (typeof layer !== 'string' || !layers.includes(layer)) return tool;
  return {
    ...tool,
    layer: layer as ToolLayer,
    category: String(category),
    safety: safety as NonNullable<LintedTool['safety']>,
    idempotent: idempotent === true,
    supportsDryRun: supportsDryRun === true,
  };
}
