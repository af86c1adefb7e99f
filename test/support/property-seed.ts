// Gives property tests the same inputs in each run, so that a failure is of the change at hand. PROPERTY_SEED says which
// inputs; `new` is other ones each time, to search for what nobody has met yet.
import { configureGlobal } from 'fast-check';

const wanted = process.env['PROPERTY_SEED'] ?? '1';
if (wanted !== 'new') configureGlobal({ seed: Number(wanted) });
