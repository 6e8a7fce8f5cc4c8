/**
 * The process that serves the workflows of `oxbow dev`: imports the files, starts a worker for all workflows and pools of
 * definitions that they export, and drains it on a stop message, or when the parent process has exited.
 *
 * Arguments: the files. The environment has the url of the database, or the shards.
 */
import type { ServableWorkflow, Worker, WorkflowSource } from "@oxbow/sdk/runtime";
import { createRequire } from "node:module";
import { relative } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import { fileURLToPath, pathToFileURL } from "node:url";
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
    await readTypeScript();
    const { createWorker } = await import("@oxbow/sdk/runtime");
    const { workflows, sources } = await loadServable();
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

/** Loads TypeScript of both kinds of modules without a build. */
async function readTypeScript(): Promise<void> {
  const [{ register: readCommonJs }, { register: readModules }] = await Promise.all([
    import("tsx/cjs/api"),
    import("tsx/esm/api"),
  ]);
  readCommonJs();
  readModules({
    onImport: (name) => {
      if (!name.startsWith("file:")) return;
      imported.add(fileURLToPath(name.split("?", 1)[0] ?? name));
      void tellImportsSoon();
    },
  });
}

type AnyWorkflow = ServableWorkflow<unknown, unknown, never>;

interface Servable {
  readonly workflows: readonly AnyWorkflow[];
  /** Definitions, by their pools. */
  readonly sources: readonly WorkflowSource[];
}

async function loadServable(): Promise<Servable> {
  const values = new Set<unknown>();
  for (const file of files) {
    const exported = (await import(pathToFileURL(file).href)) as Record<string, unknown>;
    // All exports of a CommonJS module are in `default`.
    for (const holder of [exported, exported["default"]]) {
      if (typeof holder !== "object" || holder === null) continue;
      for (const value of Object.values(holder) as unknown[]) values.add(value);
    }
  }
  const workflows = [...values].filter(isWorkflow);
  const sources = [...values].filter(isSource);
  if (workflows.length + sources.length > 0) return { workflows, sources };
  const names = files.map((file) => relative(process.cwd(), file)).join(", ");
  throw new Error(
    `${names} exports no workflow. Export the result of workflow(), export const hello = workflow({ … }), or of createDefinitions()`,
  );
}

// Neither compares classes, because the file may import another copy of the SDK.

function isWorkflow(value: unknown): value is AnyWorkflow {
  if (typeof value !== "object" || value === null) return false;
  const { name, version, run, serve } = value as Record<string, unknown>;
  return (
    typeof name === "string" &&
    typeof version === "number" &&
    typeof run === "function" &&
    typeof serve === "function"
  );
}

function isSource(value: unknown): value is WorkflowSource {
  if (typeof value !== "object" || value === null) return false;
  const { pools, resolve } = value as Record<string, unknown>;
  return Array.isArray(pools) && typeof resolve === "function";
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
