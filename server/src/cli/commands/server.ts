import type { Command } from "commander";
import { serverConfig, serverDatabaseUrl, tracesConfig } from "../../config.ts";
import { startTracing } from "../../telemetry/tracing.ts";
import { ownVersion } from "../../version.ts";

/** Requests that take longer are cut off when the server is told to stop. */
const STOP_WITHIN_MS = 30_000;

/** `oxbow server`: REST, health, metrics and the sweeper, until SIGTERM or SIGINT. */
export function addServerCommand(program: Command): void {
  program
    .command("server")
    .description("serve REST, health, metrics and the sweeper, until SIGTERM or SIGINT")
    .option("--url <url>", "database, as postgres://... (default: DATABASE_URL or QUEUE_URL)")
    .action(async ({ url }: { readonly url?: string }) => {
      await serve(url);
    });
}

/** Serves by the environment, until the process is told to stop. */
export async function serve(url: string | undefined): Promise<void> {
  // Only here, since it is most of what there is to load.
  const { startServer } = await import("../../server.ts");
  const { host, ...config } = serverConfig();
  const traces = tracesConfig();
  const stopTracing =
    traces === undefined ? undefined : await startTracing({ ...traces, version: ownVersion() });
  const server = await startServer({
    ...config,
    ...(host === undefined ? {} : { host }),
    url: serverDatabaseUrl(url),
    logger: true,
    version: ownVersion(),
  });
  console.log(`Oxbow serves ${server.url}`);
  if (config.tokens.length === 0) {
    console.log("OXBOW_TOKENS is not set: everybody on this machine may do everything.");
  }
  const stop = (): void => {
    setTimeout(() => process.exit(1), STOP_WITHIN_MS).unref();
    void server.stop().then(() => stopTracing?.());
  };
  process.once("SIGTERM", stop);
  process.once("SIGINT", stop);
}
