/** `make bench`: every scenario three times, each time on a fresh database; the medians are the result. QUICK=1: once, smaller. */
import { prepare } from "./environment.ts";
import { median } from "./measure/stats.ts";
import { describeMachine, type Figure, print, save, type Summary } from "./report.ts";
import { latency } from "./scenarios/latency.ts";
import { machineLimit } from "./scenarios/machine-limit.ts";
import { queues } from "./scenarios/queue.ts";
import { throughput } from "./scenarios/throughput.ts";

const isQuick = (process.env["QUICK"] ?? "") !== "";
const rounds = isQuick ? 1 : 3;

console.log(`\n  ${describeMachine()}\n`);
const measured: Figure[][] = [];
for (let round = 1; round <= rounds; round += 1) {
  await using environment = await prepare();
  measured.push([
    ...(await machineLimit(environment)),
    ...(await throughput(environment, isQuick ? 500 : 2_000)),
    ...(await latency(environment, isQuick ? 50 : 200)),
    ...(await queues(environment, isQuick)),
  ]);
  console.log(`  round ${round} of ${rounds} is done`);
}
const summaries = summarize(measured);
console.log();
print(summaries);
if (!isQuick) save(summaries, new URL("results/", import.meta.url));

function summarize(all: readonly (readonly Figure[])[]): Summary[] {
  return (all[0] ?? []).map((first, index) => {
    const values = all.map((figures) => figures[index]?.value ?? Number.NaN);
    return {
      ...first,
      value: median(values),
      lowest: Math.min(...values),
      highest: Math.max(...values),
    };
  });
}
