import type { Logger } from '#base';
import type { CompiledSchema } from '#schema';
import type { RiskLevel } from '../changes.ts';
import type { JournalOptions } from './journal.ts';
import type { AnyStage } from './stage.ts';

/** What a workflow returns of its own. */
export interface Returned {
  readonly schema: CompiledSchema;
  readonly value: (outputs: never) => unknown;
}

/** All that defines a workflow. */
export interface Definition {
  readonly name: string;
  readonly ownRisk: RiskLevel;
  readonly stages: readonly AnyStage[];
  readonly journal: JournalOptions;
  readonly graceMs: number;
  /** Whether answers have what each stage put out. */
  readonly tellsOutputs: boolean;
  readonly logger: Logger;
  readonly returned: Returned | undefined;
}
