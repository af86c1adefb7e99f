import type { CocosBackend, FindingReading } from '#cocos/backend';
import { fail, type Infer, type Tool } from 'mcp-kit/tools';
import { defineWorkflow } from 'mcp-kit/tools/workflow';
import { exact } from '../exact.ts';
import { telling } from '../failures.ts';
import { openIn } from '../open-scenes.ts';
import { countFindings } from '../scene-checks.ts';
import { shownIn } from '../scene-tools.ts';
import {
  closedObject,
  count,
  finding,
  findingCounts,
  flag,
  gameScene,
  menuScene,
  object,
  scenePath,
  text,
} from '../schemas.ts';
import { countsText, findingLine, howMany, lines } from '../show.ts';
import type { WorkflowOptions } from './workflow-options.ts';

const input = closedObject(['scenePath'], {
  scenePath: { ...scenePath, description: 'The scene or prefab: path, db:// URL or uuid.' },
  checkMissingAssets: {
    ...flag,
    description: 'Looks for missing assets and scripts. Default true.',
  },
  checkPerformance: { ...flag, description: 'Tells what may run slowly. Default true.' },
  failOnErrors: {
    ...flag,
    description: 'Fails, and leaves open what was open, where there are errors. Default false.',
  },
  limit: {
    ...count,
    maximum: 500,
    description: 'How many findings to tell, errors first. Default 100.',
  },
});

const output = object(['scenePath', 'assetUuid', 'nodes', 'staysOpen', 'validationReport'], {
  scenePath: text,
  assetUuid: text,
  nodes: count,
  staysOpen: flag,
  validationReport: object(['isValid', 'counts', 'findings', 'total'], {
    isValid: { ...flag, description: 'There are no errors.' },
    counts: findingCounts,
    findings: { type: 'array', items: finding },
    total: count,
  }),
});

const head = {
  name: 'workflow_open_scene_and_validate',
  description:
    'Makes a scene the open one and checks it. The report has codes, places and what to do about each finding.',
  layer: 'core',
  category: 'workflow',
  safety: 'mutating',
  idempotent: true,
  errors: {
    E_NOT_FOUND: 'There is no such scene.',
    E_PRECONDITION_FAILED: 'The scene has errors, and failOnErrors is true.',
  },
  examples: [
    { title: 'What is wrong with it', input: { scenePath: menuScene } },
    {
      title: 'A prefab, with a short report',
      input: {
        scenePath: 'db://assets/prefabs/dialog.prefab',
        checkPerformance: false,
        limit: 10,
      },
    },
    {
      title: 'Only if nothing is wrong',
      input: { scenePath: gameScene, failOnErrors: true },
    },
    { input: { scenePath: 'assets/scenes/shop.scene' }, fails: 'E_NOT_FOUND' },
    {
      title: 'After a texture was lost',
      input: { scenePath: menuScene, failOnErrors: true },
      fails: 'E_PRECONDITION_FAILED',
    },
  ],
} as const;

const missing = new Set(['missingAsset', 'missingSubAsset', 'missingScript', 'prefabAssetMissing']);
const severities = ['error', 'warning', 'info'];

/** Opens a scene and checks it. */
export function openSceneAndValidate(backend: CocosBackend, options: WorkflowOptions): Tool {
  return defineWorkflow({ ...options, ...head, input })
    .stage('open_scene', {
      plan: ({ args }, context) =>
        telling(async () => {
          const { path, assetUuid, nodes } = await backend.document(args.scenePath);
          const from = (await shownIn(backend, context)) ?? null;
          const change = { type: 'update', target: 'open scene', from, to: path };
          const changes = from === path ? [] : [change];
          const shown = { scenePath: path, assetUuid, nodes };
          return { changes, state: from, shown, from, ...shown };
        }),
      apply: ({ plan }, context) =>
        telling(async () => {
          const { scenePath: path, assetUuid, nodes } = plan;
          if (backend.kind === 'editor') await backend.openDocument(path);
          return {
            scenePath: path,
            assetUuid,
            nodes,
            staysOpen: openIn(backend, context, assetUuid || path),
          };
        }),
      undo: ({ plan }, context) =>
        telling(async () => {
          const { from } = plan;
          if (backend.kind === 'editor') await backend.openDocument(from ?? undefined);
          const before =
            from === null ? undefined : ((await backend.asset(from)).assetUuid ?? from);
          openIn(backend, context, before);
        }),
    })
    .stage('validate_scene', {
      plan: ({ args, plans }) => {
        const { checkMissingAssets = true, checkPerformance = true } = args;
        const { failOnErrors = false, limit = 100 } = args;
        const path = plans.open_scene.scenePath;
        return telling(async () => {
          const isMeant = ({ code }: FindingReading): boolean =>
            (checkMissingAssets || !missing.has(code)) &&
            (checkPerformance || code !== 'performance');
          const all = (await backend.validate(path)).filter(isMeant);
          const counts = countFindings(all);
          if (failOnErrors && counts.error > 0) throw refused(path, all, counts.error);
          const validationReport = reportOf(all, limit);
          return { changes: [], state: null, shown: { validationReport }, validationReport };
        });
      },
      apply: ({ plan }) => plan.validationReport,
    })
    .returns(
      output,
      ({ open_scene: opened, validate_scene: validationReport }) => ({
        ...opened,
        validationReport,
      }),
      showOpened,
    );
}

type Opened = Infer<typeof output>;
type Report = Opened['validationReport'];

function showOpened({
  scenePath: path,
  assetUuid,
  nodes,
  validationReport: report,
}: Opened): string {
  const { counts, findings, total } = report;
  const told = findings.length < total ? `the first ${findings.length} of ${total}` : undefined;
  return lines(
    `${path} (${assetUuid}), ${howMany(nodes, 'node')}: ${countsText(counts)}`,
    findings.map(findingLine),
    told,
  );
}

function reportOf(all: readonly FindingReading[], limit: number): Report {
  const counts = countFindings(all);
  const bySeverity = [...all].sort(
    (left, right) => severities.indexOf(left.severity) - severities.indexOf(right.severity),
  );
  const findings = bySeverity.slice(0, limit);
  return exact<Report>({ isValid: counts.error === 0, counts, findings, total: all.length });
}

function refused(path: string, all: readonly FindingReading[], errors: number): Error {
  const first = all.find(({ severity }) => severity === 'error');
  return fail('E_PRECONDITION_FAILED', `"${path}" has ${errors} errors: ${first?.message ?? ''}`, {
    suggestion: 'Try execute_scene_repair, or leave failOnErrors out to see all findings.',
    details: { findings: all.filter(({ severity }) => severity === 'error').slice(0, 20) },
  });
}
