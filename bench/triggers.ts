/**
 * `make bench-triggers DEFINITIONS=10000 EVENTS=30`: definitions that all listen to one topic, each with another guard, of
 * which each event satisfies one. By turns with a topic of a single subscription: the publish. Then, with a worker that has
 * read all guards: the time from the publish to the start of the run. Figures are medians; the ratio is the result.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { createDefinitions } from "@oxbow/declared";
import { createWorkflowClient } from "@oxbow/sdk";
import { prepare } from "./environment.ts";

const DEFINITIONS = Number(process.env["DEFINITIONS"] ?? 10_000);
const EVENTS = Number(process.env["EVENTS"] ?? 30);
const AT_ONCE = 100;
/** Guards without a prefilter, so that every one of them is asked. */
const guardOf = (n: number): string => `event.n >= ${n} && event.n <= ${n} && size(event.text) > 0`;

await using environment = await prepare();
const { url, database } = environment;
await using client = createWorkflowClient({ url });

const median = (values: readonly number[]): number =>
  values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function timed(work: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await work();
  return performance.now() - from;
}

const documentOf = (n: number): Record<string, unknown> => ({
  format: 1,
  name: `d-${n}`,
  triggers: { changed: { on: "bench.many", when: guardOf(n) } },
  nodes: { done: { type: "end@1", params: {} } },
});
const creating = await timed(async () => {
  for (let first = 0; first < DEFINITIONS; first += AT_ONCE) {
    const documents = Array.from({ length: Math.min(AT_ONCE, DEFINITIONS - first) }, (_, n) =>
      documentOf(first + n),
    );
    await database.query(
      "select from queue.definition_apply(array(select jsonb_array_elements($1::jsonb)), publish => true)",
      [JSON.stringify(documents)],
    );
  }
});
console.log(`${DEFINITIONS} definitions published: ${(creating / DEFINITIONS).toFixed(2)} ms each`);

await client.queues.create("bench-single");
await client.topics.subscribe("bench.single", { queue: "bench-single" });
const message = { n: -1, text: "text".repeat(50) };
const publishes = { many: [] as number[], single: [] as number[] };
for (let round = 0; round < 10 * EVENTS; round++) {
  publishes.many.push(await timed(() => client.topics.publish("bench.many", message)));
  publishes.single.push(await timed(() => client.topics.publish("bench.single", message)));
}
const [many, single] = [median(publishes.many), median(publishes.single)];
console.log(
  `publish: ${many.toFixed(2)} ms to ${DEFINITIONS} definitions, ${single.toFixed(2)} ms to a queue: ${(many / single).toFixed(2)} ×`,
);

/** Waits until the event has started its run; returns how long after its publish that was, by the database's clock. */
async function matched(n: number): Promise<number> {
  await client.topics.publish("bench.many", { ...message, n });
  for (;;) {
    const { rows } = await database.query<{ ms: number }>(
      `select extract(epoch from r.started_at - e.published_at)::float8 * 1000 as ms
       from queue.triggered_run as t
       join queue.trigger_event as e on e.event_id = t.event_id
       join queue.workflow_run as r on r.run_id = t.run_id
       where r.workflow_name = $1 order by r.run_id desc limit 1`,
      [`d-${n}`],
    );
    const [run] = rows;
    if (run !== undefined) return run.ms;
    await sleep(20);
  }
}

const worker = createDefinitions().serve({ url });
const cold = await timed(() => matched(0));
console.log(`cold, behind ${10 * EVENTS} events: ${Math.round(cold)} ms`);
const times: number[] = [];
for (let n = 1; n <= EVENTS; n++) times.push(await matched(n));
console.log(
  `warm: ${median(times).toFixed(1)} ms from publish to start (${Math.max(...times).toFixed(1)} at most)`,
);
const { rows: plan } = await database.query<{ "QUERY PLAN": string }>(
  "explain (analyze, buffers, costs off, timing off) select exists (select from queue.subscription as s where s.pattern >= 'oxbow.run.' and s.pattern < 'oxbow.run/')",
);
console.log(plan.map((row) => row["QUERY PLAN"]).join("\n"));
await worker.stop();
