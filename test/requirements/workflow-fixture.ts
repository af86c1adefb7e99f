import { silentLogger, type Logger } from 'mcp-kit/internal';
import type { Store } from 'mcp-kit/store';
import { fail, type Failure } from 'mcp-kit/tools';
import { defineWorkflow, type RunReport, type Workflow } from 'mcp-kit/tools/workflow';

/** What a shop's workflow acts on: stock, charges and parcels, each kept by the key of the stage that made it. */
export class Shop {
  stock = 3;
  readonly reserved = new Map<string, number>();
  readonly charges = new Map<string, number>();
  readonly parcels = new Map<string, string>();
  /** What happened, in order. */
  readonly events: string[] = [];
  /** Stages that fail with this when they are applied, or undone. */
  readonly broken = new Map<string, () => Error>();

  snapshot(): unknown {
    const { stock, reserved, charges, parcels } = this;
    return JSON.parse(JSON.stringify([stock, [...reserved], [...charges], [...parcels]]));
  }

  enter(event: string): void {
    this.events.push(event);
    const error = this.broken.get(event)?.();
    if (error !== undefined) throw error;
  }
}

/** The details of a run that failed. */
interface Failed {
  readonly runId: string;
  readonly stages: RunReport['stages'];
  readonly notUndone: RunReport['notUndone'];
}

export function failed(error: Failure | null): Failed {
  return error?.details as Failed;
}

/** How far each stage has got. */
export function statusOf(stages: unknown): readonly unknown[] {
  return (stages as RunReport['stages']).map(({ stage, status }) => [stage, status]);
}

export interface OrderOptions {
  readonly store?: Store;
  readonly now?: () => number;
  readonly leaseMs?: number;
  readonly logger?: Logger;
  /** Called when a stage comes to its effect, and with `after …` when that is there. */
  readonly onStage?: (stage: string) => Promise<void> | undefined;
}

/** Reserves, charges, and sends; what is sent cannot be taken back. */
export function orderWorkflow(shop: Shop, given: OrderOptions = {}): Workflow {
  const { onStage = () => undefined, ...options } = given;
  return defineWorkflow({
    name: 'workflow_create_shop_order',
    description: 'Orders something.',
    category: 'shop',
    safety: 'mutating',
    errors: {
      E_PRECONDITION_FAILED: 'There is not enough in stock.',
      E_CONFLICT: 'The charge was refused.',
    },
    examples: [{ input: { item: 'tea', count: 1 } }, { input: { item: 'tea', count: 2 } }],
    input: {
      type: 'object',
      properties: {
        item: { type: 'string', description: 'What to order.' },
        count: { type: 'integer', minimum: 1, description: 'How many.' },
      },
      required: ['item', 'count'],
      additionalProperties: false,
    },
    logger: silentLogger,
    ...options,
  })
    .stage('reserve', {
      idempotent: true,
      plan({ args: { item, count } }) {
        if (shop.stock < count) throw fail('E_PRECONDITION_FAILED', `Only ${shop.stock} left.`);
        const to = shop.stock - count;
        const changes = [{ type: 'update', target: item, field: 'stock', from: shop.stock, to }];
        return { changes, state: shop.stock, item, count };
      },
      async apply({ plan }, { key }) {
        await onStage('reserve');
        shop.enter('reserve');
        if (!shop.reserved.has(key)) shop.stock -= plan.count;
        shop.reserved.set(key, plan.count);
        return { reservationId: key };
      },
      undo(_known, { key }) {
        shop.enter('undo reserve');
        shop.stock += shop.reserved.get(key) ?? 0;
        shop.reserved.delete(key);
      },
    })
    .stage('charge', {
      timeoutMs: 60_000,
      plan({ plans: { reserve } }, context) {
        const chargeId = context.newId('charge');
        const amount = reserve.count * 5;
        return { changes: [{ type: 'create', target: chargeId, to: amount }], chargeId, amount };
      },
      async apply({ plan: { chargeId, amount }, outputs: { reserve } }) {
        await onStage('charge');
        shop.enter('charge');
        shop.charges.set(chargeId, amount);
        await onStage('after charge');
        return { chargeId, for: reserve.reservationId };
      },
      undo({ plan }) {
        shop.enter('undo charge');
        shop.charges.delete(plan.chargeId);
      },
      find({ plan: { chargeId } }, { key }) {
        return shop.charges.has(chargeId) ? { output: { chargeId, for: key } } : undefined;
      },
    })
    .stage('send', {
      after: ['charge'],
      plan: ({ plans: { charge } }) => ({
        changes: [{ type: 'create', target: `parcel of ${charge.chargeId}` }],
      }),
      async apply({ outputs: { charge } }, { key }) {
        await onStage('send');
        shop.enter('send');
        shop.parcels.set(key, charge.chargeId);
        return { parcelId: key };
      },
    })
    .returns(
      {
        type: 'object',
        properties: { chargeId: { type: 'string' }, parcelId: { type: 'string' } },
        required: ['chargeId', 'parcelId'],
      },
      ({ charge, send }) => ({ chargeId: charge.chargeId, parcelId: send.parcelId }),
    );
}
