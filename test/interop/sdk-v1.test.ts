import { tryFeatures, type Row } from './try-features.ts';

const wires = [
  'stdio',
  'socket',
  'http',
  'http, always streaming',
  'http, never streaming',
  'http, profile v2',
  'http, profile 2025-06-18',
  'a fetch handler',
] as const;
const newest = '2025-11-25';
const older = ['2025-06-18', '2025-03-26', '2024-11-05'];

const rows: readonly Row[] = [
  ...wires.map((over) => ({ over, speaks: newest, speaker: { sdk: 'v1' as const } })),
  ...older.flatMap((version) =>
    (['stdio', 'http'] as const).map((over) => ({
      over,
      speaks: version,
      speaker: { sdk: 'v1' as const, version },
    })),
  ),
];

tryFeatures('A client of the first SDK', rows);
