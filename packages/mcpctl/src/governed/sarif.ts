import type { Finding } from 'mcp-kit/tools/inspect';
import { version } from '../version.ts';

interface SarifOptions {
  readonly rules: Readonly<Record<string, { readonly level: string; readonly demand: string }>>;
  /** Where the tools were read from, unless it was a server. */
  readonly file: string | undefined;
}

/** Findings as a SARIF document, which build servers and editors show. */
export function sarifOf(findings: readonly Finding[], { rules, file }: SarifOptions): object {
  const ids = Object.keys(rules);
  const isFile = file !== undefined && file !== '-';
  const physicalLocation = isFile ? { artifactLocation: { uri: uriOf(file) } } : undefined;
  return {
    $schema: 'https://json.schemastore.org/sarif-2.1.0.json',
    version: '2.1.0',
    runs: [
      {
        tool: {
          driver: {
            name: 'mcpctl lint',
            version: version(),
            rules: Object.entries(rules).map(([id, { level, demand }]) => ({
              id,
              shortDescription: { text: demand },
              defaultConfiguration: { level },
            })),
          },
        },
        results: findings.map(({ rule, level, tool, message, hint, path }) => ({
          ruleId: rule,
          ruleIndex: ids.indexOf(rule),
          level,
          message: { text: `${tool}: ${message}.${hint === undefined ? '' : ` ${hint}`}` },
          locations: [
            {
              physicalLocation,
              logicalLocations: [
                {
                  kind: 'function',
                  name: tool,
                  fullyQualifiedName: path === undefined ? tool : `${tool}.${path}`,
                },
              ],
            },
          ],
        })),
      },
    ],
  };
}

function uriOf(file: string): string {
  return file.replaceAll('\\', '/').split('/').map(encodeURIComponent).join('/');
}
