// Puts the reports of the Cocos pack into its package, which has only what is below its folder.
import { cpSync, rmSync } from 'node:fs';
import path from 'node:path';

const root = path.resolve(import.meta.dirname, '../..');
const target = path.join(root, 'packages/cocos/reports');
rmSync(target, { recursive: true, force: true });
cpSync(path.join(root, 'docs/reports'), target, { recursive: true });
