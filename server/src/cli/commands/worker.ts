/** `oxbow worker`: serves what files export, or without files definitions of built-in nodes, until SIGTERM or SIGINT. */
import type { Command } from "commander";
import { tracesConfig } from "../../config.ts";
import { startTracing } from "../../telemetry/tracing.ts";
import { ownVersion } from "../../version.ts";
import { wayTo, withTarget } from "../connection.ts";
import { EXIT, usageError } from "../exit-codes.ts";
import { DEFAULT_POOL, servedParts } from "../served-parts.ts";
import { exitSoon, Stops } from "../stops.ts";
import { duration, wholeNumber } from "../values.ts";
import { printText } from "../output.ts";

interface WorkerArguments {
  readonly url?: string;
  readonly token?: string;
  readonly pool?: string;
  readonly concurrency?: number;
  readonly lease?: string;
  readonly stopTimeout?: string;
}

export function addWorkerCommand(program: Command): void {
  withTarget(program.command("worker"))
    .description("serve workflows and definitions, until SIGTERM or SIGINT")
    .argument(
      "[file...]",
      "files that export workflows or definitions (default: definitions of built-in nodes)",
    )
    .option(
      "--pool <pool>",
      `without files: serve the definitions of this pool (default: ${DEFAULT_POOL})`,
    )
    .option(
      "--concurrency <number>",
      "most concurrent runs, up to 10000 (default: 100)",
      wholeNumber("--concurrency", 1),
    )
    .option(
      "--lease <duration>",
      "delay until another worker takes the runs of one that crashed (default: 30s)",
      duration("--lease"),
    )
    .option(
      "--stop-timeout <duration>",
      "how long SIGTERM waits for steps in progress (default: 30s)",
      duration("--stop-timeout"),
    )
    .action(async (files: string[], options: WorkerArguments) => {
      if (files.length > 0 && options.pool !== undefined) {
        throw usageError(
          "--pool is for a worker without files: files name the pools that they serve.",
        );
      }
      try {
        await serve(files, options);
      } catch (error) {
        exitSoon();
        throw error;
      }
    });
}

async function serve(
  files: readonly string[],
  { url, token, pool, ...limits }: WorkerArguments,
): Promise<void> {
  // Before the files are loaded: the first process of a container gets no signal that it has no listener for.
  const stops = new Stops(EXIT.failed);
  const way = wayTo({ url, token });
  const { createWorker, jsonLogger } = await import("@oxbow/sdk/runtime");
  const parts = await servedParts(files, pool);
  stops.add(() => parts.close());
  // Files register the tracer of their choice.
  const traces = files.length === 0 ? tracesConfig() : undefined;
  if (traces !== undefined) {
    stops.add(await startTracing({ ...traces, service: "oxbow-worker", version: ownVersion() }));
  }
  if (stops.isStopping) return stops.all();
  const { workflows, sources } = parts;
  const worker = createWorker({ ...way, ...limits, workflows, sources, logger: jsonLogger() });
  stops.add(() => worker.stop());
  for (const line of parts.lines) printText(line);
  await worker.finished;
}
