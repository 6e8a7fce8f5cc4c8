/**
 * Functions that a server pushes runs to, and a worker that polls, in turns on one machine: `make bench-push ROUNDS=3`.
 *
 * Start to result of one step; 2,000 runs of five steps; the same one step while 99 other endpoints are away; requests while
 * nothing is ready; and how long the import of each door takes in a new process.
 */
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import { migrate } from "@oxbow/sdk/internal/server";
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { createHandler, toNodeHandler } from "@oxbow/sdk/http";
import type { Workflow } from "@oxbow/sdk/runtime";
import { startServer as startOxbow } from "@oxbow/server";
import { execFileSync } from "node:child_process";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { startServer } from "../environment.ts";
import { ask, startChild } from "../measure/child.ts";
import { median } from "../measure/stats.ts";
import { timed } from "../measure/timed.ts";
import { fiveSteps, oneStep, steps, type Way } from "./workflows.ts";

const ROUNDS = Number(process.env["ROUNDS"] ?? 3);
const RUNS = Number(process.env["RUNS"] ?? 2_000);
const SINGLE = 150;
const DEAD = 99;
const WAYS: readonly Way[] = ["polled", "pushed"];

const here = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

/** Milliseconds from a start to its result, one run after the other. */
async function startToResult(client: WorkflowClient, way: Way): Promise<number> {
  const times: number[] = [];
  for (let run = 0; run < SINGLE; run += 1) {
    times.push(await timed(async () => (await client.start(oneStep(way), run)).result()));
  }
  return median(times);
}

/** Steps per second, from the first start to the last result. */
async function throughput(client: WorkflowClient, way: Way): Promise<number> {
  const definition = fiveSteps(way);
  const ms = await timed(async () => {
    const handles = [];
    for (let from = 0; from < RUNS; from += 500) {
      const length = Math.min(500, RUNS - from);
      const starts = Array.from({ length }, (_, index) => ({ input: from + index }));
      handles.push(...(await client.startBatch(definition, starts)));
    }
    await Promise.all(handles.map((handle) => handle.result()));
  });
  return (RUNS * 5 * 1_000) / ms;
}

interface DeadEndpoints {
  readonly url: string;
  readonly dead: readonly {
    readonly definition: Workflow<number, number>;
    readonly path: string;
  }[];
  readonly stop: () => void;
}

/** Endpoints that are checked, and then away, each with another workflow. */
async function serveDeadEndpoints(): Promise<DeadEndpoints> {
  const dead = Array.from({ length: DEAD }, (_, index) => ({
    definition: steps(`dead-${index}`, 1),
    path: `/${index}`,
  }));
  const listeners = new Map(
    dead.map(({ definition, path }) => [
      path,
      toNodeHandler(createHandler({ workflows: [definition], logger: false })),
    ]),
  );
  const server = createServer((request, response) => {
    void listeners.get(request.url ?? "")?.(request, response);
  });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  const address = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${address.port}`,
    dead,
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}

const importMs = (door: string): number =>
  Number(
    execFileSync(process.execPath, [
      "--input-type=module",
      "--eval",
      `const at = performance.now(); await import(${JSON.stringify(here(door))}); console.log(performance.now() - at);`,
    ]).toString(),
  );

const cluster = await startServer();
const url = await cluster.createDatabase("bench");
await migrate(url);
const oxbow = await startOxbow({ url, port: 0, sweepIntervalMs: 0 });
const client = createWorkflowClient({ url });
const port = await findFreePort();
const script = new URL("process.ts", import.meta.url);
const polled = await startChild(script, ["polled", url]);
const pushed = await startChild(script, ["pushed", String(port)]);
const { endpointId } = await client.endpoints.add(`http://127.0.0.1:${port}/`, {
  concurrency: 200,
});
while ((await client.endpoints.get(endpointId)).checkedAt === null) await delay(100);

const figures = {
  latency: { polled: [] as number[], pushed: [] as number[] },
  throughput: { polled: [] as number[], pushed: [] as number[] },
};
for (let round = 0; round <= ROUNDS; round += 1) {
  for (const way of WAYS) {
    const latency = await startToResult(client, way);
    const rate = await throughput(client, way);
    // In the first round, each process still compiles its code.
    if (round === 0) continue;
    figures.latency[way].push(latency);
    figures.throughput[way].push(rate);
    console.log(`${way}, round ${round}: ${latency.toFixed(2)} ms, ${rate.toFixed(0)} steps/s`);
  }
}
const before = await ask<number>(pushed, {});
await delay(10_000);
const idle = (await ask<number>(pushed, {})) - before;

const alone: number[] = [];
const withDead: number[] = [];
for (let round = 1; round <= ROUNDS; round += 1) alone.push(await startToResult(client, "pushed"));
const dying = await serveDeadEndpoints();
for (const { definition, path } of dying.dead) {
  await client.endpoints.add(`${dying.url}${path}`);
  await client.start(definition, 0, { delay: "1h" });
}
while ((await client.endpoints.list()).some(({ checkedAt }) => checkedAt === null))
  await delay(200);
dying.stop();
for (const { definition } of dying.dead) {
  for (let run = 0; run < 5; run += 1) await client.start(definition, run);
}
await delay(5_000);
for (let round = 1; round <= ROUNDS; round += 1)
  withDead.push(await startToResult(client, "pushed"));

const doors = { http: [] as number[], runtime: [] as number[] };
for (let round = 1; round <= 7; round += 1) {
  for (const door of ["http", "runtime"] as const) {
    doors[door].push(importMs(`../../sdk/dist/${door}.js`));
  }
}

const ratio = (a: readonly number[], b: readonly number[]): string =>
  (median(a) / median(b)).toFixed(2);
console.log(
  `start to result of one step: ${median(figures.latency.polled).toFixed(2)} ms polled, ${median(figures.latency.pushed).toFixed(2)} ms pushed, ratio ${ratio(figures.latency.pushed, figures.latency.polled)}`,
);
console.log(
  `${RUNS} runs of 5 steps: ${median(figures.throughput.polled).toFixed(0)} steps/s polled, ${median(figures.throughput.pushed).toFixed(0)} steps/s pushed, ratio ${ratio(figures.throughput.pushed, figures.throughput.polled)}`,
);
console.log(
  `with ${DEAD} endpoints that are away: ${median(withDead).toFixed(2)} ms, without them ${median(alone).toFixed(2)} ms, ratio ${ratio(withDead, alone)}`,
);
console.log(`requests to the idle endpoint in 10 s: ${idle}`);
console.log(
  `import of @oxbow/sdk/http: ${median(doors.http).toFixed(0)} ms, of @oxbow/sdk/runtime: ${median(doors.runtime).toFixed(0)} ms, ratio ${ratio(doors.http, doors.runtime)}`,
);
for (const child of [polled, pushed]) child.disconnect();
await client.close();
await oxbow.stop();
await cluster.stop({ mode: "immediate" });
