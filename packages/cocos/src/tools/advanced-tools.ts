import { all, type CocosBackend } from '#cocos/backend';
import type { Tool } from 'mcp-kit/tools';
import { readTool } from './define-tools.ts';
import { pageOf } from './page.ts';
import {
  closedObject,
  count,
  finding,
  findingCounts,
  limit,
  object,
  offset,
  text,
} from './schemas.ts';
import { countFindings } from './scene-checks.ts';
import { countsText, findingLine, goesOn, howMany, lines, valueText } from './show.ts';

const layer = 'advanced';

function validateProjectAssets(backend: CocosBackend): Tool {
  return readTool({
    name: 'validate_project_assets',
    description: 'Checks all scenes, prefabs and metas of the project.',
    layer,
    category: 'project',
    riskLevel: 'low',
    prerequisites: ['It may take seconds in large projects.'],
    examples: [{ input: {} }],
    input: closedObject([], { offset, limit }),
    output: object(['counts', 'findings', 'total'], {
      counts: findingCounts,
      findings: { type: 'array', items: finding },
      total: count,
      nextOffset: count,
    }),
    show: ({ counts, findings, ...page }) =>
      lines(
        countsText(counts),
        findings.map((each) => `${each.file} ${findingLine(each)}`),
        goesOn(page),
      ),
    async run(args) {
      const found = await backend.validate(all);
      const { items, ...page } = pageOf(found, args);
      return { counts: countFindings(found), findings: items, ...page };
    },
  });
}

function listProjectHistory(backend: CocosBackend): Tool {
  return readTool({
    name: 'list_project_history',
    description: 'Lists the writes of these tools that can be undone, the last first.',
    layer,
    category: 'project',
    riskLevel: 'low',
    prerequisites: ['None.'],
    examples: [{ input: {} }],
    input: closedObject([], { offset, limit }),
    output: object(['transactions', 'total'], {
      transactions: {
        type: 'array',
        items: object(['transactionId', 'label', 'at', 'files'], {
          transactionId: text,
          label: text,
          at: text,
          files: {
            type: 'array',
            items: object(['file', 'change'], { file: text, change: text }),
          },
        }),
      },
      total: count,
      nextOffset: count,
    }),
    show: ({ transactions, ...page }) =>
      lines(
        howMany(page.total, 'write'),
        transactions.map(({ transactionId, label, at, files }) => {
          const changed = files.map(({ file, change }) => `${change} ${file}`);
          return `${transactionId} ${at} ${label}: ${changed.join(', ')}`;
        }),
        goesOn(page),
      ),
    async run(args) {
      const { items, ...page } = pageOf(await backend.history(), args);
      const transactions = items.map(({ files, ...each }) => ({
        ...each,
        files: files.map(({ path: file, change }) => ({ file, change })),
      }));
      return { transactions, ...page };
    },
  });
}

function getProjectDiagnostics(backend: CocosBackend): Tool {
  return readTool({
    name: 'get_project_diagnostics',
    description:
      'Tells those who run the server how it sees the project: folders, editor, problems, undo.',
    layer: 'internal',
    category: 'diagnostics',
    examples: [{ input: {} }],
    input: closedObject([], {}),
    output: { type: 'object' },
    show: (told) =>
      lines(Object.entries(told).map(([name, value]) => `${name}: ${valueText(value)}`)),
    async run() {
      const usage = process.memoryUsage();
      return {
        ...(await backend.diagnostics()),
        process: { pid: process.pid, node: process.version, heapUsed: usage.heapUsed },
      };
    },
  });
}

/** Tools for those who know what they do, and for those who run the server. */
export function advancedTools(backend: CocosBackend): readonly Tool[] {
  return [
    validateProjectAssets(backend),
    listProjectHistory(backend),
    getProjectDiagnostics(backend),
  ];
}
