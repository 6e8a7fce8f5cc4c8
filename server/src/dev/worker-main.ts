/**
 * The process that serves the workflows of `oxbow dev`: imports the files, starts a worker for all workflows and pools of
 * definitions that they export, and drains it on a stop message, or when the parent process has exited.
 *
 * Arguments: the files. The environment has the url of the database, or the shards.
 */
import type { Worker } from "@oxbow/sdk/runtime";
import { createRequire } from "node:module";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { loadServable } from "../worker/servable-files.ts";
import { readTypeScriptByTsx } from "../worker/typescript.ts";
import type { WorkerOrder, WorkerReport } from "./messages.ts";
import { describeLoadFailure } from "./load-failure.ts";

const files = process.argv.slice(2);
const imported = new Set<string>(files);
let worker: Worker | undefined;
let isTelling = false;

// The parent handles Ctrl-C, and then sends a stop message.
process.on("SIGINT", () => {});
process.on("message", (order: WorkerOrder) => {
  if (order.kind === "stop") void stop();
});
process.on("disconnect", () => void stop());

await main();

async function main(): Promise<void> {
  try {
    await readTypeScriptByTsx((url) => {
      if (!url.startsWith("file:")) return;
      imported.add(fileURLToPath(url.split("?", 1)[0] ?? url));
      void tellImportsSoon();
    });
    const { createWorker } = await import("@oxbow/sdk/runtime");
    const { workflows, sources } = await loadServable(files);
    void tellImportsSoon();
    worker = createWorker({ workflows, sources, stopTimeout: "5s", logger: console });
    follow(worker);
    tell({
      kind: "serving",
      workflows: workflows.map(({ name, version }) => ({ name, version })),
      pools: sources.flatMap(({ pools }) => pools),
    });
    await worker.finished;
  } catch (error) {
    // The name of the last import before the error may arrive one turn later.
    await turn();
    await turn();
    tellImports();
    tell({ kind: "failed", reason: describeLoadFailure(error, process.cwd()) }, () =>
      process.exit(),
    );
  }
}

/** Logs a line per event of a run. */
function follow({ events }: Worker): void {
  events.on("runCompleted", ({ workflow, runId }) =>
    line(`Run ${runId} of ${workflow} completed.`),
  );
  events.on("runFailed", ({ workflow, runId, error }) =>
    line(`Run ${runId} of ${workflow} failed: ${error.name}: ${error.message}`),
  );
  events.on("stepFailed", ({ workflow, runId, step, attempt, error }) =>
    line(
      `Run ${runId} of ${workflow}: call ${attempt} of step "${step}" failed: ${describeLoadFailure(error, process.cwd())}`,
    ),
  );
}

function line(text: string): void {
  process.stdout.write(`${text}\n`);
}

/**
 * The names of imports arrive from the loader thread, possibly after the module has run; those of an `import()` in a step
 * arrive while this process serves. Names that arrive in the same turn are reported together.
 */
async function tellImportsSoon(): Promise<void> {
  if (isTelling) return;
  isTelling = true;
  await turn();
  isTelling = false;
  tellImports();
}

function tellImports(): void {
  const required = Object.keys(createRequire(import.meta.url).cache);
  const own = [...imported, ...required].filter((file) => !/[\\/]node_modules[\\/]/.test(file));
  tell({ kind: "imported", files: [...new Set(own)] });
}

function tell(report: WorkerReport, done: () => void = () => {}): void {
  if (process.connected) process.send?.(report, done);
  else done();
}

async function stop(): Promise<void> {
  await worker?.stop();
  process.exit();
}
