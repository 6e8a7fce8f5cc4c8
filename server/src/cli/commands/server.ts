import type { WorkerOptions } from "@oxbow/sdk/runtime";
import type { Command } from "commander";
import { inspect } from "node:util";
import {
  serverConfig,
  serverDatabaseUrl,
  serverReadUrl,
  serverShards,
  tracesConfig,
} from "../../config.ts";
import { startTracing } from "../../telemetry/tracing.ts";
import { exitSoon } from "../stops.ts";
import { ownVersion } from "../../version.ts";
import { printText, remark } from "../output.ts";
import { defined } from "../../defined.ts";

/** The process exits after this time if the server has not stopped. */
const STOP_WITHIN_MS = 30_000;
/** The same for a server with a worker, which stops first and waits for its steps. */
const STOP_BOTH_WITHIN_MS = 70_000;

interface ServerArguments {
  readonly url?: string;
  readonly worker?: true | readonly string[];
}

/** `oxbow server`: the REST API and background services, until SIGTERM or SIGINT. */
export function addServerCommand(program: Command): void {
  program
    .command("server")
    .description("serve the REST API and run background services, until SIGTERM or SIGINT")
    .option(
      "--url <url>",
      "database, as postgres://... (default: DATABASE_URL or QUEUE_URL; else the shards of QUEUE_SHARDS)",
    )
    .option(
      "--worker [file...]",
      "run a worker in this process too, with these files or without, as oxbow worker does",
    )
    .action(async ({ url, worker }: ServerArguments) => {
      await serve(url, worker === true ? [] : worker);
    });
}

/**
 * Serves as the environment configures it, until SIGTERM or SIGINT.
 *
 * @param files Of a worker in this process; undefined for only the server.
 */
export async function serve(url: string | undefined, files?: readonly string[]): Promise<void> {
  // Loaded here, because it is the largest part of the command.
  const { startServer } = await import("../../server.ts");
  const config = serverConfig();
  const traces = tracesConfig();
  const shards = serverShards(url);
  const way = shards === undefined ? { url: serverDatabaseUrl(url) } : { shards };
  const startWorker =
    files === undefined
      ? undefined
      : await preparedWorker(files, { ...way, schedules: config.schedules });
  const stopTracing =
    traces === undefined
      ? undefined
      : await startTracing({ ...traces, service: "oxbow-server", version: ownVersion() });
  const server = await startServer({
    ...config,
    ...way,
    ...defined({ readUrl: serverReadUrl() }),
    logger: true,
    version: ownVersion(),
  });
  printText(`Oxbow serves ${server.url}`);
  if (config.tokens.length === 0 && config.signIn === undefined) {
    printText("OXBOW_TOKENS is not set: anyone on this machine has full access.");
  }
  const stopWorker = await startWorker?.().catch(async (error: unknown) => {
    await server.stop();
    throw error;
  });
  const stop = (): void => {
    const withinMs = stopWorker === undefined ? STOP_WITHIN_MS : STOP_BOTH_WITHIN_MS;
    setTimeout(() => process.exit(1), withinMs).unref();
    if (stopWorker !== undefined) printText("Stopping the worker, then the server.");
    void (async () => {
      await stopWorker?.().catch((error: unknown) => {
        remark(`The worker did not stop: ${inspect(error)}`);
      });
      await server.stop();
      await stopTracing?.();
      if (stopWorker !== undefined) exitSoon();
    })();
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}

/**
 * Loads what a worker serves. The returned function starts the worker, and resolves with how to stop it. What goes wrong
 * with the worker later doesn't end the server.
 */
async function preparedWorker(
  files: readonly string[],
  options: Omit<WorkerOptions, "workflows">,
): Promise<() => Promise<() => Promise<void>>> {
  const [{ createWorker, jsonLogger }, { servedParts }, { KeptWorker }] = await Promise.all([
    import("@oxbow/sdk/runtime"),
    import("../served-parts.ts"),
    import("../../worker/kept-worker.ts"),
  ]);
  const { workflows, sources, lines, close } = await servedParts(files);
  const logger = jsonLogger();
  return async () => {
    const worker = new KeptWorker(
      () => createWorker({ ...options, workflows, sources, logger }),
      () => logger.error("the worker has ended; another one starts in 5 seconds"),
    );
    for (const line of lines) printText(line);
    return async () => {
      await worker.stop();
      await close();
    };
  };
}
