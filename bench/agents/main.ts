/**
 * `make bench-agents STREAMS=200 SECONDS=20 ROUNDS=3`: a worker whose agents stream 50 tokens a second each, by turns with a
 * process that only reads the same models: the CPU time of the process, as a share of a core, and the memory of a stream.
 * Then, one run at a time: from the first token of a model until a reader of the run has it.
 */
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type { ChildProcess } from "node:child_process";
import { writeFileSync } from "node:fs";
import { loadavg } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { prepare } from "../environment.ts";
import { describeMachine } from "../machine.ts";
import { ask, startChild } from "../measure/child.ts";
import { cpuTime } from "../measure/cpu.ts";
import { median, percentile } from "../measure/stats.ts";
import { agent, TOKENS_PER_SECOND } from "./agent.ts";
import type { Order, Sample } from "./process.ts";

const USUAL = 200;
const STREAMS = Number(process.env["STREAMS"] ?? USUAL);
const SECONDS = Number(process.env["SECONDS"] ?? 20);
const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const SINGLE = 50;
const MOST_START_SECONDS = 20;
const GOAL_SHARE = 0.6;
const GOAL_MS = 5;

interface Figure {
  /** Cores that the process keeps busy. */
  readonly share: number;
  /** Cores that the Postgres server keeps busy. */
  readonly database: number;
  /** Tokens that were sent, as a share of those that were due. */
  readonly pace: number;
  /** Bytes of the heap, in thousands. */
  readonly kbOfStream: number;
}

const start = (way: "bare" | "oxbow"): Promise<ChildProcess> =>
  startChild(new URL("process.ts", import.meta.url), [way, url], ["--expose-gc"]);

const sample = (child: ChildProcess, order: Order = {}): Promise<Sample> => ask(child, order);

/** Measures while all models stream. */
async function measure(
  child: ChildProcess,
  begin: (seconds: number) => Promise<unknown>,
): Promise<Figure> {
  const idle = await sample(child, { collect: true });
  await begin(SECONDS + MOST_START_SECONDS);
  while ((await sample(child)).streaming < STREAMS) await delay(100);
  await delay(1_000);
  const [from, first, before] = [performance.now(), await sample(child), cpuTime(directory)];
  await delay(SECONDS * 1_000);
  const last = await sample(child);
  const seconds = (performance.now() - from) / 1_000;
  const after = cpuTime(directory);
  if (last.streaming < STREAMS) throw new Error("The streams ended before they were measured.");
  const full = await sample(child, { collect: true });
  const figure = {
    share: (last.cpu - first.cpu) / 1e6 / seconds,
    database: (after.database - before.database) / 1_000 / seconds,
    pace: (last.tokens - first.tokens) / seconds / (STREAMS * TOKENS_PER_SECOND),
    kbOfStream: (full.heap - idle.heap) / STREAMS / 1_000,
  };
  while ((await sample(child)).streaming > 0) await delay(100);
  const { calls } = await sample(child);
  if (calls - idle.calls !== STREAMS) throw new Error("A call of a model was repeated.");
  return figure;
}

/** Milliseconds from the first token of a model until a reader has it, one run after the other. */
async function firstTokens(client: WorkflowClient): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < SINGLE; n += 1) {
    const { runId } = await client.start(agent, { seconds: 0.2 });
    for await (const { value } of client.runs.stream(runId)) {
      const { type, delta } = value as { readonly type: string; readonly delta?: string };
      if (type === "text-delta") {
        times.push(Date.now() - Number(delta));
        break;
      }
    }
  }
  return times;
}

const percent = (share: number): string => `${(100 * share).toFixed(0)} %`;

await using environment = await prepare();
const { url, directory } = environment;
await using client = createWorkflowClient({ url });
const [bare, worker] = [await start("bare"), await start("oxbow")];
const found = { bare: [] as Figure[], oxbow: [] as Figure[] };
for (let round = 0; round < ROUNDS; round += 1) {
  found.bare.push(
    await measure(bare, async (seconds) => sample(bare, { start: STREAMS, seconds })),
  );
  found.oxbow.push(
    await measure(worker, async (seconds) =>
      client.startBatch(
        agent,
        Array.from({ length: STREAMS }, () => ({ input: { seconds } })),
      ),
    ),
  );
}
const times = await firstTokens(client);
bare.disconnect();
worker.disconnect();

const of = (way: keyof typeof found, name: keyof Figure): number =>
  median(found[way].map((figure) => figure[name]));
const row = (what: string, way: keyof typeof found, goal: string): string =>
  `| ${what} | ${percent(of(way, "share"))} | ${percent(of(way, "database"))} | ${of(way, "kbOfStream").toFixed(0)} kB | ${percent(of(way, "pace"))} | ${goal} |`;
const p95 = percentile(times, 0.95);
const report = `# Agents

${describeMachine()}, ${new Date().toISOString().slice(0, 10)}, at a load of ${(loadavg()[0] ?? 0).toFixed(1)}. ${STREAMS} streams of ${TOKENS_PER_SECOND} tokens a second in one process, for ${SECONDS} seconds; medians of ${ROUNDS} rounds by turns. Written by \`make bench-agents\`.

| | process, of a core | Postgres, of a core | heap of a stream | pace | goal |
| --- | --- | --- | --- | --- | --- |
${row("models that are only read", "bare", "")}
${row("agents of a worker", "oxbow", percent(GOAL_SHARE))}

From the first token of a model until a reader has it, with one run at a time: ${median(times).toFixed(0)} ms, p95 ${p95.toFixed(0)} ms (goal: ${GOAL_MS} ms). It takes one commit.
`;
console.log(report);
if (STREAMS === USUAL) {
  writeFileSync(new URL("../results/agents.md", import.meta.url), report);
}
