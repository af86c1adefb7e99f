import { expectTypeOf, test } from 'vitest';
import type { ParamsOf, ResultOf, ToolsPage } from './results.ts';

test('the methods of the protocol have parameters and results', () => {
  expectTypeOf<ResultOf<'tools/list'>>().toExtend<ToolsPage>();
  expectTypeOf<ResultOf<'acme/own'>>().toBeUnknown();
  expectTypeOf<ParamsOf<'resources/read'>['uri']>().toBeString();
  expectTypeOf<{ readonly uri: 1 }>().not.toExtend<ParamsOf<'resources/read'>>();
});
