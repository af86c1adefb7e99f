/** Which share of the long runs is made: all of them with BRIDGE_FAULTS=1, a twentieth where somebody waits. */
const share = Number(process.env['BRIDGE_FAULTS'] ?? 0.05);

/** How often to do what is to be done this many times. */
export const scaled = (times: number): number => Math.max(1, Math.round(times * share));

/** Long enough for all of it on a busy machine. */
export const longMs: number = 60_000 + 600_000 * share;
