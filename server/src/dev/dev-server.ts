/** The server of `oxbow dev`: on a free port, with deliveries to this machine. */
import type { FastifyBaseLogger } from "fastify";
import { type ServerConfig, serverConfig } from "../config.ts";
import type { RunningServer } from "../server.ts";
import type { DevDatabase } from "./started-database.ts";
import { ownVersion } from "../version.ts";

const USUAL_PORT = 8_080;
const PORTS_TRIED = 20;

/** The settings of the environment. Targets in development run on this machine. */
export function devServerConfig(): ServerConfig {
  const { deliveries, ...config } = serverConfig(true);
  return {
    ...config,
    deliveries: {
      ...deliveries,
      allowHttp: true,
      allowedNetworks: [...(deliveries.allowedNetworks ?? []), "127.0.0.0/8", "::1/128"],
    },
  };
}

/**
 * @param wanted Only this port; default: the usual one, or one of the next that are free.
 * @param onError Gets the errors to which responses of 500 refer.
 */
export async function startDevServer(
  { url, shards }: Pick<DevDatabase, "url" | "shards">,
  wanted: number | undefined,
  onError: (text: string, error: unknown) => void,
): Promise<RunningServer> {
  const { startServer } = await import("../server.ts");
  const config = devServerConfig();
  for (let port = wanted ?? USUAL_PORT; ; port += 1) {
    try {
      return await startServer({
        ...config,
        port,
        ...(shards === undefined ? { url } : { shards }),
        version: ownVersion(),
        logger: errorsTo(onError),
      });
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === "EADDRINUSE";
      if (!isTaken) throw error;
      if (wanted !== undefined)
        throw new Error(`Port ${wanted} is in use. Give another --port, or 0 for any free port.`, {
          cause: error,
        });
      if (port === USUAL_PORT + PORTS_TRIED) throw error;
    }
  }
}

const nothing = (): void => {};

function errorsTo(onError: (text: string, error: unknown) => void): FastifyBaseLogger {
  const report = (facts: unknown, text = "an error"): void => {
    const { err: error = facts } = facts as { readonly err?: unknown };
    onError(text, error);
  };
  const logger: FastifyBaseLogger = {
    level: "error",
    fatal: report,
    error: report,
    warn: nothing,
    info: nothing,
    debug: nothing,
    trace: nothing,
    silent: nothing,
    child: () => logger,
  };
  return logger;
}
