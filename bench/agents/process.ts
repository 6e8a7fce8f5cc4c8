/** A process of `make bench-agents`: `process.ts oxbow <url>` serves the agent; `process.ts bare` reads models on demand. */
import { agent, counts, readBare } from "./agent.ts";

const [way = "", url = ""] = process.argv.slice(2);

export interface Order {
  /** Models to read. */
  readonly start?: number;
  readonly seconds?: number;
  /** Collects garbage, so that the heap has only what is in use. */
  readonly collect?: true;
}

/** What the process has done so far. */
export interface Sample {
  readonly calls: number;
  readonly streaming: number;
  readonly tokens: number;
  /** Microseconds of CPU time. */
  readonly cpu: number;
  readonly heap: number;
}

if (way === "oxbow") agent.serve({ url, concurrency: 400, logger: false });

process.on("message", ({ start = 0, seconds = 0, collect }: Order) => {
  for (let n = 0; n < start; n += 1) void readBare(seconds);
  if (collect) globalThis.gc?.();
  const { user, system } = process.cpuUsage();
  const sample: Sample = { ...counts, cpu: user + system, heap: process.memoryUsage().heapUsed };
  process.send?.(sample);
});
process.on("disconnect", () => process.exit());
process.send?.("ready");
