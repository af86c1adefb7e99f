import { KitError } from '#base';

/** Refuses amounts that nobody can mean: each must be a number above zero, where there is one. */
export function assertAmounts(
  subject: string,
  amounts: Readonly<Record<string, number | undefined>>,
): void {
  for (const [name, amount] of Object.entries(amounts)) {
    if (amount === undefined || (typeof amount === 'number' && amount > 0)) continue;
    const message = `${subject}: ${name} must be a number above zero, not ${String(amount)}`;
    throw new KitError('invalid_argument', message, { hint: 'Leave it out for the default.' });
  }
}
