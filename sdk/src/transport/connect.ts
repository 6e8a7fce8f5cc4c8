import { InvalidArgument } from "../core/errors.ts";
import type { Transport } from "../protocol/transport.ts";
import { PostgresTransport } from "./postgres/postgres-transport.ts";

export interface ConnectOptions {
  /** `postgres://…`; default: the environment's `QUEUE_URL`. */
  readonly url?: string | undefined;
  /** Most connections besides the listening one. Default 6. */
  readonly maxConnections?: number | undefined;
  /** False behind a transaction-pooling proxy, where LISTEN isn't to be had. Default true. */
  readonly listen?: boolean | undefined;
}

/** The transport for a url. Connects at the first use. */
export function connect({
  url = process.env["QUEUE_URL"],
  maxConnections,
  listen,
}: ConnectOptions): Transport {
  if (url === undefined || url === "") {
    throw new InvalidArgument(
      "No database: pass `url`, or set the environment variable QUEUE_URL.",
    );
  }
  const scheme = /^([a-z+]+):/i.exec(url)?.[1]?.toLowerCase();
  if (scheme !== "postgres" && scheme !== "postgresql") {
    throw new InvalidArgument(
      `Cannot connect to a url that begins with "${url.slice(0, 12)}": give one like postgres://user:password@host:5432/database.`,
    );
  }
  return new PostgresTransport({
    url,
    ...(maxConnections === undefined ? {} : { maxConnections }),
    ...(listen === undefined ? {} : { listen }),
  });
}
