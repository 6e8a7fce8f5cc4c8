/**
 * One scenario of one system, in a separate process: `measure.ts <system> <scenario> <database url> <scale>`. Leads the
 * process group of everything that it starts, so that all of it can be ended together, whatever state it is in.
 */
import { fork } from "node:child_process";
import { on, once } from "node:events";
import { fileURLToPath } from "node:url";
import { connectTo } from "../measure/connect.ts";
import { scenarioById } from "../scenarios/all.ts";
import type { Measured, WorkerProcess } from "../scenarios/scenario.ts";
import { loadSystem } from "./load.ts";
import type { Report, Task } from "./worker.ts";

export type Outcome =
  | { readonly kind: "measured"; readonly figures: Measured }
  | { readonly kind: "failed"; readonly reason: string };

const [id = "", scenarioId = "", url = "", scale = "1"] = process.argv.slice(2);
process.on("disconnect", () => void process.kill(-process.pid, "SIGKILL"));
console.log = console.error;

let outcome: Outcome;
try {
  outcome = { kind: "measured", figures: await measure() };
} catch (error) {
  console.error(error);
  outcome = { kind: "failed", reason: error instanceof Error ? error.message : String(error) };
}
process.send?.(outcome);

async function measure(): Promise<Measured> {
  const system = await loadSystem(id);
  const address = await system.install(url);
  const database = await connectTo(url);
  await database.query("checkpoint");
  const scenario = scenarioById(scenarioId);
  const common = { scale: Number(scale), database };
  if (scenario.kind === "workflows") {
    if (system.workflows === undefined) throw new Error("It has no workflows.");
    const { workflows } = system;
    const client = await workflows.connect(address);
    const startWorker = () => startProcess(address, { kind: "workflows" });
    const serveHere = async () => {
      if (workflows.serveHere !== undefined) return workflows.serveHere(address);
      await workflows.serve(address);
      return client;
    };
    return scenario.measure({ ...common, client, startWorker, serveHere });
  }
  const { queues } = system;
  if (queues === undefined) throw new Error("It has no queues.");
  return scenario.measure({
    ...common,
    connect: (options) => queues.connect(address, options),
    startConsumer: () => startProcess(address, { kind: "listen" }),
    startDrainer: (options) => startProcess(address, { kind: "drain", ...options }),
  });
}

/** Resolves when the worker is ready. If it fails, now or later, this process does. */
async function startProcess(address: string, task: Task): Promise<WorkerProcess> {
  const script = fileURLToPath(new URL("worker.ts", import.meta.url));
  const child = fork(script, [id, address, JSON.stringify(task)]);
  let isEnding = false;
  child.on("message", (report: Report) => {
    if (report.kind === "failed") fail(`worker: ${report.reason}`);
  });
  child.on("exit", (code, signal) => {
    if (!isEnding) fail(`The worker ended by itself (${signal ?? `code ${code}`}).`);
  });
  await told(child, "ready");
  return {
    drain: async () => {
      const drained = told(child, "drained");
      child.send("go");
      const report = await drained;
      return report.kind === "drained" ? report.milliseconds : Number.NaN;
    },
    arrival: () => told(child, "message"),
    end: async () => {
      isEnding = true;
      child.kill("SIGKILL");
      await once(child, "exit");
    },
  };
}

async function told(child: ReturnType<typeof fork>, kind: Report["kind"]): Promise<Report> {
  for await (const [report] of on(child, "message") as AsyncIterable<[Report]>) {
    if (report.kind === kind) return report;
  }
  throw new Error("The worker can't be heard any more.");
}

function fail(reason: string): void {
  process.send?.({ kind: "failed", reason } satisfies Outcome);
}
