import crypto from 'node:crypto';
import { syncBuiltinESMExports } from 'node:module';

const scope = { name: '', count: 0 };

/** Lets the ids that follow be made of a name and a number: a change in one file leaves those of the others alone. */
export function beginIds(name) {
  Object.assign(scope, { name, count: 0 });
}

crypto.randomUUID = () => {
  const hash = crypto
    .createHash('md5')
    .update(`${scope.name} ${scope.count++}`)
    .digest('hex');
  return hash.replace(/^(.{8})(.{4}).(.{3}).(.{3})(.{12})$/, '$1-$2-4$3-8$4-$5');
};
// Whoever imports the function by name gets this one, too.
syncBuiltinESMExports();
