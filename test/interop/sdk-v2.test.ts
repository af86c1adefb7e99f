import { tryFeatures, type Row } from './try-features.ts';

const wires = ['stdio', 'socket', 'http'] as const;
const sdk = 'v2' as const;

const rows: readonly Row[] = [
  ...wires.map((over) => ({ over, speaks: '2025-11-25', speaker: { sdk } })),
  { over: 'http', speaks: '2025-06-18', speaker: { sdk, version: '2025-06-18' } },
  ...wires.map((over) => ({
    over,
    speaks: 'what it discovers',
    speaker: { sdk, mode: 'auto' as const },
  })),
  ...(['http, always streaming', 'a fetch handler'] as const).map((over) => ({
    over,
    speaks: 'what it discovers',
    speaker: { sdk, mode: 'auto' as const },
  })),
  ...(['stdio', 'http'] as const).map((over) => ({
    over,
    speaks: '2026-07-28 and nothing else',
    speaker: { sdk, mode: { pin: '2026-07-28' } },
  })),
];

tryFeatures('A client of the second SDK', rows);
