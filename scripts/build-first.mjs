// Called by vitest before the tests.
import { prepare } from './prepare.mjs';

export const setup = () => prepare({ dev: true });
