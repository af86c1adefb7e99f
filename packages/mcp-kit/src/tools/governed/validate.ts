import { chain, type MaybePromise } from '#base';
import { invalidArguments } from '../call.ts';
import { isWriting } from '../manifest/manifest.ts';
import type { Outcome } from '../contract/result.ts';
import { splitter } from './control-fields.ts';
import type { Wrap } from './layer.ts';

/** Takes the framework's arguments out, and checks those of the tool against its schema. */
export const validateLayer: Wrap = (next, entry) => {
  const split = isWriting(entry) ? splitter(entry) : undefined;
  return (call) => {
    if (split !== undefined) {
      const { control, own, issue } = split(call.received);
      if (issue !== undefined) return invalidArguments([issue]);
      call.control = control;
      call.own = own;
    }
    return chain(entry.input.check(call.own), (checked): MaybePromise<Outcome> => {
      if (!checked.ok) return invalidArguments(checked.issues);
      call.args = checked.value;
      return next(call);
    });
  };
};
