import type { Command } from "commander";
import {
  serverConfig,
  serverDatabaseUrl,
  serverReadUrl,
  serverShards,
  tracesConfig,
} from "../../config.ts";
import { startTracing } from "../../telemetry/tracing.ts";
import { ownVersion } from "../../version.ts";

/** The process exits after this time if the server has not stopped. */
const STOP_WITHIN_MS = 30_000;

/** `oxbow server`: the REST API and background services, until SIGTERM or SIGINT. */
export function addServerCommand(program: Command): void {
  program
    .command("server")
    .description("serve the REST API and run background services, until SIGTERM or SIGINT")
    .option(
      "--url <url>",
      "database, as postgres://... (default: DATABASE_URL or QUEUE_URL; else the shards of QUEUE_SHARDS)",
    )
    .action(async ({ url }: { readonly url?: string }) => {
      await serve(url);
    });
}

/** Serves as the environment configures it, until SIGTERM or SIGINT. */
export async function serve(url: string | undefined): Promise<void> {
  // Loaded here, because it is the largest part of the command.
  const { startServer } = await import("../../server.ts");
  const { host, ...config } = serverConfig();
  const traces = tracesConfig();
  const readUrl = serverReadUrl();
  const shards = serverShards(url);
  const stopTracing =
    traces === undefined ? undefined : await startTracing({ ...traces, version: ownVersion() });
  const server = await startServer({
    ...config,
    ...(host === undefined ? {} : { host }),
    ...(shards === undefined ? { url: serverDatabaseUrl(url) } : { shards }),
    ...(readUrl === undefined ? {} : { readUrl }),
    logger: true,
    version: ownVersion(),
  });
  console.log(`Oxbow serves ${server.url}`);
  if (config.tokens.length === 0 && config.signIn === undefined) {
    console.log("OXBOW_TOKENS is not set: anyone on this machine has full access.");
  }
  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    void server.stop().then(() => stopTracing?.());
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}
