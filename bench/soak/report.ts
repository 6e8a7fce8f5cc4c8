/** The curves of a soak as a table and as a drawing, and whether they are flat. */
import { writeFileSync } from "node:fs";
import { describeMachine } from "../machine.ts";
import { table } from "../markdown.ts";
import { median } from "../measure/stats.ts";
import { drawCurves } from "./curves.ts";
import type { Sample } from "./sample.ts";

export interface SoakFacts {
  /** Runs that were started a second. */
  readonly rate: number;
  readonly steps: number;
  /** Share of full load. */
  readonly load: number;
  readonly minutes: number;
  readonly retentionSeconds: number;
  /** Starts that were left out after stalls. */
  readonly missed: number;
}

interface Verdict {
  readonly claim: string;
  readonly value: number;
  readonly limit: number;
  readonly holds: boolean;
}

const MIB = 1_048_576;

/** Writes the results. @returns Whether everything is steady. */
export function report(samples: readonly Sample[], facts: SoakFacts): boolean {
  const verdicts = judge(samples, facts);
  const [then, now] = settledAndLast(samples, facts);
  const results = new URL("../results/", import.meta.url);
  const text = [
    "# Does anything grow?",
    `${describeMachine()}; autovacuum as PostgreSQL ships it`,
    `${facts.rate.toFixed(0)} runs of ${facts.steps} durable steps a second (${Math.round(facts.load * 100)}% of full load) and as many FIFO messages, for ${facts.minutes} minutes, kept for ${facts.retentionSeconds} seconds after their end. ${share(facts)} of the starts were left out, since they were overdue by more than a second.`,
    "![Curves of the soak](soak.svg)",
    table(
      ["", "measured", "at most, or at least", "holds"],
      verdicts.map(({ claim, value, limit, holds }) => [
        claim,
        value.toFixed(3),
        limit.toFixed(2),
        holds ? "yes" : "no",
      ]),
    ),
    "## What grew most",
    table(
      ["table or index", "after three retentions", "at the end"],
      grownMost(then, now).map(({ name, before, after }) => [name, inMib(before), inMib(after)]),
    ),
    "## Every two minutes",
    table(
      [
        "minute",
        "runs/s",
        "p50",
        "p95",
        "CPU a run",
        "sweeping",
        "runs",
        "messages",
        "tables",
        "indexes",
        "dead rows",
      ],
      everyNth(samples, 12).map((sample) => [
        (sample.at / 60).toFixed(1),
        sample.rate.toFixed(0),
        `${sample.p50.toFixed(0)} ms`,
        `${sample.p95.toFixed(0)} ms`,
        `${sample.cpuARun.toFixed(2)} ms`,
        `${(sample.sweeping * 100).toFixed(1)}%`,
        sample.kept.toLocaleString("en"),
        sample.waiting.toLocaleString("en"),
        `${(sample.tables / MIB).toFixed(0)} MiB`,
        `${(sample.indexes / MIB).toFixed(0)} MiB`,
        sample.deadRows.toLocaleString("en"),
      ]),
    ),
  ].join("\n\n");
  writeFileSync(new URL("soak.md", results), `${text}\n`);
  writeFileSync(new URL("soak.svg", results), drawCurves(samples, facts.retentionSeconds));
  console.log(`\n${text}`);
  return verdicts.every(({ holds }) => holds);
}

/** What the issue of unbounded histories asks: nothing that is swept may cost more after an hour than at first. */
function judge(samples: readonly Sample[], facts: SoakFacts): readonly Verdict[] {
  const end = samples.at(-1)?.at ?? 0;
  const begin = samples[0]?.at ?? 0;
  const sixth = (end - begin) / 6;
  const between = (from: number, to: number): readonly Sample[] =>
    samples.filter(({ at }) => at >= from && at <= to);
  const [first, last] = [between(begin, begin + sixth), between(end - sixth, end)];
  const [then, now] = settledAndLast(samples, facts);
  const ratio = (of: (sample: Sample) => number, a: readonly Sample[], b: readonly Sample[]) =>
    mean(b.map(of)) / mean(a.map(of));
  return [
    atLeast(
      "throughput, last sixth ÷ first",
      ratio((s) => s.rate, first, last),
      0.95,
    ),
    atMost(
      "CPU a run, last sixth ÷ first",
      ratio((s) => s.cpuARun, first, last),
      1.1,
    ),
    atMost(
      "size of tables, end ÷ after three retentions",
      ratio((s) => s.tables, then, now),
      1.1,
    ),
    atMost(
      "size of indexes, the same",
      ratio((s) => s.indexes, then, now),
      1.1,
    ),
    atMost(
      "sweeping, share of the database's CPU",
      mean(between(then[0]?.at ?? begin, end).map((s) => s.sweeping)),
      0.05,
    ),
    atMost(
      "p95 of a run, last sixth ÷ first",
      median(last.map((s) => s.p95)) / median(first.map((s) => s.p95)),
      1.2,
    ),
    // A queue that fills up makes its table grow, and so does a load that is more than what can be done.
    atMost(
      "messages that wait, most at once, in seconds of the load",
      Math.max(...samples.map((s) => s.waiting)) / facts.rate,
      5,
    ),
  ];
}

/** Two parts as long as a retention, so that one of them holds as many sawteeth as the other. */
function settledAndLast(
  samples: readonly Sample[],
  { retentionSeconds }: SoakFacts,
): readonly [readonly Sample[], readonly Sample[]] {
  const settled = (samples[0]?.at ?? 0) + 3 * retentionSeconds;
  const end = samples.at(-1)?.at ?? 0;
  return [
    samples.filter(({ at }) => at >= settled && at <= settled + retentionSeconds),
    samples.filter(({ at }) => at >= end - retentionSeconds),
  ];
}

interface Growth {
  readonly name: string;
  /** Bytes. */
  readonly before: number;
  readonly after: number;
}

const MOST_RELATIONS = 10;

const meanSize = (samples: readonly Sample[], name: string): number =>
  mean(samples.map(({ relations }) => relations.get(name) ?? 0));

function grownMost(then: readonly Sample[], now: readonly Sample[]): readonly Growth[] {
  return [...(now.at(-1)?.relations.keys() ?? [])]
    .map((name) => ({ name, before: meanSize(then, name), after: meanSize(now, name) }))
    .toSorted((a, b) => b.after - b.before - (a.after - a.before))
    .slice(0, MOST_RELATIONS);
}

const share = ({ missed, rate, minutes }: SoakFacts): string =>
  `${((100 * missed) / (rate * minutes * 60)).toFixed(1)}%`;

const inMib = (bytes: number): string => `${(bytes / MIB).toFixed(1)} MiB`;

const atLeast = (claim: string, value: number, limit: number): Verdict => ({
  claim,
  value,
  limit,
  holds: value >= limit,
});

const atMost = (claim: string, value: number, limit: number): Verdict => ({
  claim,
  value,
  limit,
  holds: value <= limit,
});

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / values.length;

const everyNth = <Item>(items: readonly Item[], n: number): readonly Item[] =>
  items.filter((_, index) => index % n === 0 || index === items.length - 1);
