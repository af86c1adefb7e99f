import { type Json, ref, refIndices } from '@mcp-kit/cocos/document';
import {
  findingRules,
  repairDocument,
  reportJson,
  reportSarif,
  reportText,
  validateDocument,
  validateProject,
} from '@mcp-kit/cocos/validate';
import { describe, expect, test } from 'vitest';
import { hasCorpus, needsCorpus } from '../../support/cocos/corpus.ts';
import { at, broken, defects, menu, nodeAt } from '../../support/cocos/defects.ts';
import { ProjectCopy } from '../../support/cocos/sample-project.ts';
import { cpuMs } from '../../support/cpu-time.ts';

describe.skipIf(!hasCorpus)(`What is wrong with real projects ${needsCorpus}`, () => {
  test('nothing with a clean one', async () => {
    using copy = ProjectCopy.ofCorpus('xforge-3.8.3');
    const { files, findings } = validateProject(await copy.open());
    expect({ files, findings }).toEqual({ files: 7, findings: [] });
  });

  test('a font that was deleted', async () => {
    using copy = ProjectCopy.ofCorpus('customsnake-3.8.6');
    const { findings } = validateProject(await copy.open());
    expect(findings).toMatchObject([
      {
        code: 'missingAsset',
        severity: 'error',
        file: 'assets/scenes/main.scene',
        node: 'Canvas/PSP/screen/UIGameOverNode/GameOverPanel/lb_text',
      },
    ]);
    const [font] = findings;
    expect(font?.message).toContain('49c3e593-2e79-4556-b74b-05e0fc532619');
    const lines = copy.read('assets/scenes/main.scene').split('\n');
    expect(lines[(font?.line ?? 0) - 1]).toContain('"_font"');
  });

  test('an old one has old names and no lists of instances, which are no errors, and which repair adds', async () => {
    using copy = ProjectCopy.ofCorpus('airplane-3.3');
    const workspace = await copy.open();
    const { findings, counts } = validateProject(workspace);
    expect(new Set(findings.map(({ code }) => code))).toEqual(
      new Set(['assetName', 'nestedRootsMismatch']),
    );
    expect(counts).toEqual({ error: 0, warning: 22, info: 0 });
    for (const file of new Set(findings.map((finding) => finding.file))) {
      expect(repairDocument(workspace, file).remaining).toEqual([]);
    }
    await workspace.project.commit(workspace.draft, 'repair');
    expect(validateProject(await copy.open()).findings).toEqual([]);
  });

  test('what the engine brings: a camera that overrides cannot name', async () => {
    using copy = ProjectCopy.ofCorpus('engine-internal-db-3.8.5');
    const { findings } = validateProject(await copy.open());
    const found = findings.map(({ code, file, node }) => `${code} ${file} ${node}`);
    expect(found).toEqual([
      'prefabNodeWithoutInfo assets/default_prefab/2d/ui/Canvas.prefab Camera',
      'prefabNodeWithoutInfo assets/default_prefab/ui/Canvas.prefab Camera',
    ]);
  });
});

/** The sample with its menu broken in two ways, looked at. */
async function brokenReport(copy: ProjectCopy) {
  for (const defect of defects) {
    if (defect.code === 'layerNotSeen' || defect.code === 'missingAsset') {
      copy.write(menu, broken(copy.read(menu), defect));
    }
  }
  return validateProject(await copy.open());
}

describe('A report', () => {
  test('for people has a line for each finding and the next step below it', async () => {
    using copy = new ProjectCopy();
    const text = reportText(await brokenReport(copy));
    expect(text).toMatch(
      /^assets\/scenes\/menu\.scene:\d+ error missingAsset \[Canvas\/Background\] /m,
    );
    expect(text).toMatch(/^ {2}Set its layer to UI_2D/m);
    expect(text).toMatch(/^5 files: 1 error, 1 warning, 0 to know\.$/m);
  });

  test('for programs has all that is known', async () => {
    using copy = new ProjectCopy();
    const report = await brokenReport(copy);
    expect(JSON.parse(JSON.stringify(reportJson(report)))).toEqual(report);
  });

  test('for code hosts is SARIF that leads to the line', async () => {
    using copy = new ProjectCopy();
    const report = await brokenReport(copy);
    const sarif = JSON.parse(JSON.stringify(reportSarif(report, { version: '1.2.3' }))) as Sarif;
    expect(sarif.version).toBe('2.1.0');
    const [run] = sarif.runs;
    const rules = run?.tool.driver.rules ?? [];
    expect(rules.map(({ id }) => id)).toEqual(Object.keys(findingRules));
    expect(run?.tool.driver.version).toBe('1.2.3');
    const results = run?.results ?? [];
    expect(results.map(({ level }) => level).sort()).toEqual(['error', 'warning']);
    for (const { ruleId, ruleIndex, locations } of results) {
      expect(rules[ruleIndex]?.id).toBe(ruleId);
      const [place] = locations;
      expect(place?.physicalLocation.artifactLocation.uri).toBe(menu);
      const line = place?.physicalLocation.region.startLine ?? 0;
      const text = copy.read(menu).split('\n')[line - 1];
      expect(text).toContain(ruleId === 'layerNotSeen' ? '"_layer": 1,' : '"_spriteFrame"');
    }
  });
});

interface Sarif {
  readonly version: string;
  readonly runs: readonly {
    readonly tool: {
      readonly driver: { readonly version: string; readonly rules: readonly { id: string }[] };
    };
    readonly results: readonly {
      readonly ruleId: string;
      readonly ruleIndex: number;
      readonly level: string;
      readonly locations: readonly {
        readonly physicalLocation: {
          readonly artifactLocation: { readonly uri: string };
          readonly region: { readonly startLine: number };
        };
      }[];
    }[];
  }[];
}

test('A scene of 5,000 nodes is looked at in about the time that it takes to read it', async () => {
  using copy = new ProjectCopy();
  copy.change(menu, (objects) => {
    const stars = nodeAt(objects, 'Stars');
    const first = at(objects, nodeAt(objects, 'Star'));
    const parts = refIndices(first['_components']);
    let count = 0;
    const id = () => `00${String((count += 1)).padStart(20, 'A')}`;
    const children = at(objects, stars)['_children'] as Json[];
    for (let added = 0; added < 5000; added += 1) {
      const index = objects.length;
      const own = parts.map((_, place) => ref(index + 1 + place));
      const star = { ...first, _components: own, _id: id() };
      objects.push(
        star,
        ...parts.map((part) => ({ ...at(objects, part), node: ref(index), _id: id() })),
      );
      children.push(ref(index));
    }
  });
  const workspace = await copy.open();
  const text = copy.read(menu);
  const reading: number[] = [];
  const looking: number[] = [];
  // In turns, so that both meet the same machine.
  for (let round = 0; round < 5; round += 1) {
    reading.push(cpuMs(() => JSON.stringify(JSON.parse(text), null, 2)));
    looking.push(
      cpuMs(() => {
        const codes = validateDocument(workspace, menu).map(({ code }) => code);
        expect(codes).toEqual(['performance']);
      }),
    );
  }
  const [read, looked] = [Math.min(...reading), Math.min(...looking)];
  console.log(`5,000 nodes: JSON ${read.toFixed(0)} ms, validated in ${looked.toFixed(0)} ms`);
  expect(looked).toBeLessThan(Math.max(200, 3 * read));
});
