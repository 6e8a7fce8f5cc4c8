/**
 * `make bench-triggers DEFINITIONS=10000 EVENTS=30`: definitions that all listen to one topic, each with another guard, of
 * which each event satisfies one. By turns with a topic of a single subscription: the publish. Then, with a worker that has
 * read all guards: the time from the publish to the start of the run. Then the same with guards from which filters follow,
 * so that each definition has a subscription. Figures are medians; the ratio is the result. Writes
 * bench/results/triggers.md, unless there are fewer definitions.
 */
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as sleep } from "node:timers/promises";
import { createDefinitions } from "@oxbow/declared";
import { createWorkflowClient } from "@oxbow/sdk";
import { prepare } from "./environment.ts";
import { describeMachine } from "./machine.ts";
import { median } from "./measure/stats.ts";
import { timed } from "./measure/timed.ts";

const USUAL = 10_000;
const DEFINITIONS = Number(process.env["DEFINITIONS"] ?? USUAL);
const EVENTS = Number(process.env["EVENTS"] ?? 30);
const AT_ONCE = 100;

interface Kind {
  readonly topic: string;
  readonly what: string;
  readonly guardOf: (n: number) => string;
  /** As the checker derives it from the guard. */
  readonly prefilterOf: (n: number) => readonly object[];
}

const KINDS: readonly Kind[] = [
  {
    topic: "bench.many",
    what: "guards that share a subscription",
    guardOf: (n) => `event.n >= ${n} && event.n <= ${n} && size(event.text) > 0`,
    prefilterOf: () => [],
  },
  {
    topic: "bench.filtered",
    what: "guards with a filter each",
    guardOf: (n) => `event.n == ${n} && size(event.text) > 0`,
    prefilterOf: (n) => [{ path: ["n"], value: n }],
  },
];

await using environment = await prepare();
const { url, database } = environment;
await using client = createWorkflowClient({ url });
const message = { n: -1, text: "text".repeat(50) };
const rows: string[] = [];
const loads: number[] = [];

function report(what: string, figure: string, goal = ""): void {
  loads.push(loadavg()[0] ?? Number.NaN);
  rows.push(`| ${what} | ${figure} | ${goal} |`);
  console.log(`${what}: ${figure}${goal && ` (goal: ${goal})`}`);
}

const nameOf = ({ topic }: Kind, n: number): string => `${topic.replace(".", "-")}-${n}`;

/** Returns the milliseconds of a definition, in the order of their publication. */
async function publishDefinitions(kind: Kind): Promise<number[]> {
  const times: number[] = [];
  for (let first = 0; first < DEFINITIONS; first += AT_ONCE) {
    const numbers = Array.from(
      { length: Math.min(AT_ONCE, DEFINITIONS - first) },
      (_, n) => first + n,
    );
    const documents = numbers.map((n) => ({
      format: 1,
      name: nameOf(kind, n),
      triggers: { changed: { on: kind.topic, when: kind.guardOf(n) } },
      nodes: { done: { type: "end@1", params: {} } },
    }));
    const compiled = numbers.map((n) => ({
      triggers: [{ id: "changed", prefilter: kind.prefilterOf(n) }],
    }));
    const ms = await timed(() =>
      database.query(
        `select from queue.definition_apply(
           array(select jsonb_array_elements($1::jsonb)), publish => true,
           compiled => array(select jsonb_array_elements($2::jsonb)))`,
        [JSON.stringify(documents), JSON.stringify(compiled)],
      ),
    );
    times.push(ms / numbers.length);
  }
  return times;
}

async function comparePublishes({ topic, what }: Kind): Promise<void> {
  const publishes = { many: [] as number[], single: [] as number[] };
  for (let round = 0; round < 10 * EVENTS; round++) {
    publishes.many.push(await timed(() => client.topics.publish(topic, message)));
    publishes.single.push(await timed(() => client.topics.publish("bench.single", message)));
  }
  const [many, single] = [median(publishes.many), median(publishes.single)];
  report(
    `publish to ${DEFINITIONS} definitions, ${what}, and to one queue`,
    `${many.toFixed(2)} and ${single.toFixed(2)} ms: ${(many / single).toFixed(2)} ×`,
    "1.2 ×",
  );
}

/** Waits until the event has started its run; returns how long after its publish that was, by the database's clock. */
async function matched(kind: Kind, n: number): Promise<number> {
  await client.topics.publish(kind.topic, { ...message, n });
  for (;;) {
    const { rows: found } = await database.query<{ ms: number }>(
      `select extract(epoch from r.started_at - e.published_at)::float8 * 1000 as ms
       from queue.triggered_run as t
       join queue.trigger_event as e on e.event_id = t.event_id
       join queue.workflow_run as r on r.run_id = t.run_id
       where r.workflow_name = $1 order by r.run_id desc limit 1`,
      [nameOf(kind, n)],
    );
    const [run] = found;
    if (run !== undefined) return run.ms;
    await sleep(20);
  }
}

await client.queues.create("bench-single");
await client.topics.subscribe("bench.single", { queue: "bench-single" });
for (const kind of KINDS) {
  const times = await publishDefinitions(kind);
  const tenth = Math.ceil(times.length / 10);
  report(
    `publish a definition, ${kind.what}: the first tenth, and the last`,
    `${median(times.slice(0, tenth)).toFixed(1)} and ${median(times.slice(-tenth)).toFixed(1)} ms`,
  );
  await comparePublishes(kind);
  const worker = createDefinitions().serve({ url });
  const cold = await timed(() => matched(kind, 0));
  report(
    `event to run, ${kind.what}, of a worker that starts behind ${10 * EVENTS} events`,
    `${Math.round(cold)} ms`,
  );
  const warm: number[] = [];
  for (let n = 1; n <= EVENTS; n++) warm.push(await matched(kind, n));
  report(
    `event to run, ${kind.what}, warm`,
    `${median(warm).toFixed(0)} ms (${Math.min(...warm).toFixed(0)} to ${Math.max(...warm).toFixed(0)})`,
    "100 ms",
  );
  await worker.stop();
}

const [least, most] = [Math.min(...loads), Math.max(...loads)].map((load) => load.toFixed(1));
if (DEFINITIONS === USUAL) {
  writeFileSync(
    new URL("results/triggers.md", import.meta.url),
    `# Triggers

${describeMachine()}, ${new Date().toISOString().slice(0, 10)}, at a load of ${least} to ${most}. ${DEFINITIONS} definitions on one topic, ${EVENTS} events; medians. Written by \`make bench-triggers\`.

| | found | goal |
| --- | --- | --- |
${rows.join("\n")}
`,
  );
}
