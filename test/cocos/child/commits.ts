// Works on a project, and ends itself without a word before the n-th change to the disk, or before a certain one.
import { entryAt, rootOf } from '@mcp-kit/cocos/document';
import { openProject } from '@mcp-kit/cocos/project';
const [, , folder = '', action, number = ''] = process.argv;
const codeOf = (error: unknown): string => (error as { code?: string }).code ?? '';

let count = 0;
const onStep = (step: string): void => {
  const isTime = count++ === Number(number) || step.endsWith(number);
  if (action !== 'count' && isTime) process.kill(process.pid, 'SIGKILL');
};
const project = await openProject(folder, { onStep });
if (action === 'undo') await project.undo();
if (action === 'commit') {
  const draft = project.draft();
  const table = draft.edit('assets/main.scene');
  Object.assign(entryAt(table, rootOf(table)), { _name: 'new' });
  draft.write('assets/deep/er/b.json', '{}');
  draft.write('assets/data.json', '[]');
  draft.remove('assets/data');
  draft.remove('assets/data.meta');
  await project.commit(draft, 'change');
}
if (action === 'large') {
  const draft = project.draft();
  draft.write('assets/data/a.json', 'small');
  draft.write('assets/large.json', 'x'.repeat(Number(number)));
  const failure = await project.commit(draft, 'large').catch((error: unknown) => error);
  if (codeOf(failure) !== 'E_UNAVAILABLE') throw failure;
}
if (action === 'count') {
  for (let done = 0; done < Number(number);) {
    const draft = project.draft();
    draft.write('assets/data/a.json', String(Number(draft.text('assets/data/a.json')) + 1));
    draft.write('assets/data/b.json', draft.text('assets/data/a.json'));
    try {
      await project.commit(draft, 'count');
      done += 1;
    } catch (error) {
      // Somebody was faster, or is writing for long on a busy machine.
      if (!['E_CONFLICT', 'E_UNAVAILABLE'].includes(codeOf(error))) throw error;
    }
  }
}
