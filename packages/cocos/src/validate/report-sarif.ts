import type { JsonObject } from '#cocos/document';
import { type Finding, findingRules, type Report, type Severity } from './finding.ts';

const levels: Readonly<Record<Severity, string>> = {
  error: 'error',
  warning: 'warning',
  info: 'note',
};

const ruleIds = Object.keys(findingRules);

/** A report as SARIF 2.1.0, which code hosts show beside the lines; `version` is that of the tool. */
export function reportSarif(
  { findings }: Report,
  { version }: { readonly version: string },
): JsonObject {
  const rules = Object.entries(findingRules).map(([id, { summary, severity }]) => ({
    id,
    shortDescription: { text: summary },
    defaultConfiguration: { level: levels[severity] },
  }));
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: { driver: { name: 'mcp-kit cocos', version, rules } },
        columnKind: 'utf16CodeUnits',
        originalUriBaseIds: { PROJECT: { description: { text: 'The folder of the project' } } },
        results: findings.map(resultOf),
      },
    ],
  };
}

function resultOf(finding: Finding): JsonObject {
  const { code, severity, file, line, pointer, node, message, suggestion } = finding;
  const names: JsonObject[] = [{ fullyQualifiedName: pointer, kind: 'object' }];
  if (node !== undefined) names.push({ fullyQualifiedName: node, kind: 'member' });
  return {
    ruleId: code,
    ruleIndex: ruleIds.indexOf(code),
    level: levels[severity],
    message: { text: `${message} ${suggestion}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: encodeURI(file), uriBaseId: 'PROJECT' },
          region: { startLine: line ?? 1 },
        },
        logicalLocations: names,
      },
    ],
    partialFingerprints: { place: [code, file, node ?? pointer].join(' ') },
  };
}
