import { expect, test } from 'vitest';
import { Exchange, RpcError, rpcErrors, type Link } from '#jsonrpc';
import { metaKeys } from './envelope.ts';
import { enclose, layered } from './layers.ts';
import { modernVersion } from './model/revisions.ts';
import type { Layer } from './serve.ts';

const link: Link = { notify() {}, request: () => Promise.reject(new Error('nobody to ask')) };
const envelope = { [metaKeys.protocolVersion]: modernVersion, [metaKeys.clientCapabilities]: {} };

function ask(params: object = { _meta: envelope }): Exchange {
  return new Exchange({ jsonrpc: '2.0', id: 1, method: 'm', params: { ...params } }, link);
}

/** A service with every layer there is, and who was passed by a message. */
function open() {
  const passed: string[] = [];
  const pass =
    (name: string): Layer =>
    (next) =>
    (exchange) => {
      passed.push(name);
      return next(exchange);
    };
  const service = {
    serve: () => void passed.push('service'),
    observe: pass('account'),
    mirroredHeaders: () => [],
    describe: () => ({}),
  };
  const [observe, scopes, limits, headers] = ['observe', 'scopes', 'limits', 'headers'].map(pass);
  return { passed, serve: enclose(service, { observe, scopes, limits, headers }) };
}

test('layers stand in one order', () => {
  const { passed, serve } = open();
  void serve(ask());
  expect(passed).toEqual(['observe', 'account', 'scopes', 'limits', 'headers', 'service']);
});

test('a message that its transport refuses is seen by those who observe, and goes no further', () => {
  const { passed, serve } = open();
  const exchange = ask();
  exchange.refusal = new RpcError(rpcErrors.overloaded, 'full');
  expect(() => serve(exchange)).toThrow(exchange.refusal);
  expect(passed).toEqual(['observe', 'account']);
});

test('a message without a client is seen by all, and does not reach the service', () => {
  const { passed, serve } = open();
  expect(() => serve(ask({}))).toThrow('_meta is required');
  expect(passed).toEqual(['observe', 'account', 'scopes', 'limits', 'headers']);
});

test('where there is no layer, what serves is asked directly', () => {
  const serve = (): undefined => undefined;
  expect(layered(serve, [undefined, (next) => next])).toBe(serve);
});
