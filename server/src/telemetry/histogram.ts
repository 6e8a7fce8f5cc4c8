/**
 * A histogram that adds many durations in one call, as the database counts them; `prom-client` adds them one by one.
 */
import type { Histogram, MetricObjectWithValues, MetricValueWithName, Registry } from "prom-client";

interface Series {
  readonly labels: Readonly<Record<string, string>>;
  readonly buckets: number[];
  sum: number;
  count: number;
}

export interface BulkHistogramOptions {
  readonly name: string;
  readonly help: string;
  /** Upper bounds, in order. */
  readonly bounds: readonly number[];
  readonly registry: Registry;
}

export class BulkHistogram {
  readonly name: string;
  readonly help: string;
  readonly type = "histogram";
  readonly aggregator = "sum";
  readonly #bounds: readonly number[];
  readonly #series = new Map<string, Series>();

  constructor({ name, help, bounds, registry }: BulkHistogramOptions) {
    this.name = name;
    this.help = help;
    this.#bounds = bounds;
    // The registry only uses the name and `get()` of a metric.
    registry.registerMetric(this as unknown as Histogram);
  }

  /** `bucket`: index of the first bound above these durations. */
  add(
    labels: Readonly<Record<string, string>>,
    {
      bucket,
      count,
      sum,
    }: { readonly bucket: number; readonly count: number; readonly sum: number },
  ): void {
    const key = JSON.stringify(labels);
    let series = this.#series.get(key);
    if (series === undefined) {
      series = { labels, buckets: this.#bounds.map(() => 0), sum: 0, count: 0 };
      this.#series.set(key, series);
    }
    series.sum += sum;
    series.count += count;
    const { buckets } = series;
    for (let n = bucket; n < buckets.length; n += 1) buckets[n] = (buckets[n] ?? 0) + count;
  }

  async get(): Promise<MetricObjectWithValues<MetricValueWithName<string>>> {
    const values = [...this.#series.values()].flatMap(({ labels, buckets, sum, count }) => [
      ...this.#bounds.map((le, n) => ({
        metricName: `${this.name}_bucket`,
        labels: { ...labels, le },
        value: buckets[n] ?? 0,
      })),
      { metricName: `${this.name}_bucket`, labels: { ...labels, le: "+Inf" }, value: count },
      { metricName: `${this.name}_sum`, labels, value: sum },
      { metricName: `${this.name}_count`, labels, value: count },
    ]);
    return {
      name: this.name,
      help: this.help,
      type: this.type,
      aggregator: this.aggregator,
      values,
    } as never;
  }

  reset(): void {
    this.#series.clear();
  }
}
