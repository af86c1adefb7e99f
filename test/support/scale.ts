/** Which share of the long runs is made: all of them where nobody waits (`npm run chaos`), a twentieth elsewhere. */
const share = Number(process.env['FAULT_SHARE'] ?? 0.05);

/** Whether everything is tried, and not a part that stands for it. */
export const isWhole: boolean = share >= 1;

/** How often to do what is to be done this many times. */
export const scaled = (times: number): number => Math.max(1, Math.round(times * share));

/** Long enough for all of it on a busy machine. */
export const longMs: number = 120_000 + 600_000 * share;
