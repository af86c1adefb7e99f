/** What a metric says, in the text format of Prometheus. */
export interface Metric {
  readonly name: string;
  readonly help: string;
  readonly type: 'counter' | 'gauge' | 'histogram';
  readonly samples: readonly Sample[];
}

/** One number of a metric, with what it is about. */
export interface Sample {
  /** Added to the name of the metric: `_sum`, `_bucket`. */
  readonly suffix?: string | undefined;
  readonly labels?: Readonly<Record<string, string>> | undefined;
  readonly value: number;
}

/** What makes metrics of one type, each of one value or of samples with labels. */
type MakeMetric = (name: string, help: string, value: number | Metric['samples']) => Metric;
const metric =
  (type: Metric['type']): MakeMetric =>
  (name, help, value) => ({
    name,
    help,
    type,
    samples: typeof value === 'number' ? [{ value }] : value,
  });
export const counter: MakeMetric = metric('counter');
export const gauge: MakeMetric = metric('gauge');
export const histogram: MakeMetric = metric('histogram');

export const expositionType = 'text/plain; version=0.0.4; charset=utf-8';

/** Writes metrics as Prometheus reads them. */
export function writeMetrics(metrics: readonly Metric[]): string {
  const lines = metrics.flatMap(({ name, help, type, samples }) => [
    `# HELP ${name} ${help}`,
    `# TYPE ${name} ${type}`,
    ...samples.map(({ suffix = '', labels = {}, value }) => {
      return `${name}${suffix}${writeLabels(labels)} ${writeNumber(value)}`;
    }),
  ]);
  return `${lines.join('\n')}\n`;
}

function writeLabels(labels: Readonly<Record<string, string>>): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escaped(value)}"`);
  return pairs.length === 0 ? '' : `{${pairs.join(',')}}`;
}

function escaped(value: string): string {
  return value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n');
}

function writeNumber(value: number): string {
  return value === Infinity ? '+Inf' : String(value);
}

/** Upper bounds in seconds: from a call that does nothing to one that takes a minute. */
const bounds = [
  0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60,
];

/** Counts how long things take. */
export class Histogram {
  readonly #counts = new Float64Array(bounds.length + 1);
  #sum = 0;

  observe(seconds: number): void {
    let at = 0;
    while (at < bounds.length && seconds > (bounds[at] ?? Infinity)) at++;
    this.#counts[at] = (this.#counts[at] ?? 0) + 1;
    this.#sum += seconds;
  }

  samples(labels: Readonly<Record<string, string>>): readonly Sample[] {
    let count = 0;
    const buckets = [...bounds, Infinity].map((bound, at) => {
      count += this.#counts[at] ?? 0;
      const le = bound === Infinity ? '+Inf' : String(bound);
      return { suffix: '_bucket', labels: { ...labels, le }, value: count };
    });
    return [
      ...buckets,
      { suffix: '_sum', labels, value: this.#sum },
      { suffix: '_count', labels, value: count },
    ];
  }
}

/** Numbers by name; names beyond `max` are counted together as `other`. */
export class Tally {
  readonly #counts = new Map<string, { count: number }>();
  readonly #max: number;

  constructor(max = 100) {
    this.#max = max;
  }

  add(name: string): void {
    const known = this.#counts.get(name);
    if (known === undefined) this.#begin(this.#counts.size < this.#max ? name : 'other');
    else known.count += 1;
  }

  #begin(name: string): void {
    const count = 1 + (this.#counts.get(name)?.count ?? 0);
    this.#counts.set(name, { count });
  }

  samples(label: string, more: Readonly<Record<string, string>> = {}): readonly Sample[] {
    return [...this.#counts].map(([name, { count }]) => ({
      labels: { ...more, [label]: name },
      value: count,
    }));
  }
}
