import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import type { OptionNames } from "../core/options.ts";
import type { Transport } from "../protocol/transport.ts";
import { HttpTransport } from "./http/http-transport.ts";
import { PostgresTransport } from "./postgres/postgres-transport.ts";

export interface ConnectOptions {
  /**
   * `postgres://…`, straight to the database, or `http(s)://…`, through a server. Default: the environment's
   * `QUEUE_URL`.
   */
  readonly url?: string | undefined;
  /** Of a server: what it knows us by. Default: the environment's `QUEUE_TOKEN`. */
  readonly token?: string | undefined;
  /** Most connections besides the listening one. Default 6. */
  readonly maxConnections?: number | undefined;
  /**
   * Whether LISTEN wakes the client, which needs a session: a proxy that pools by transaction has none. Otherwise the
   * client polls. Default: true, unless a proxy is found in between.
   */
  readonly listen?: boolean | undefined;
  /** Where `url` leads to a proxy: straight to the same database, for the one connection that listens. */
  readonly listenUrl?: string | undefined;
  /**
   * A standby of the database, `postgres://…`, that serves lists, counts, exports, peeks and metrics, which are then as
   * old as the standby. What concerns one run, and all that changes anything, goes to the database itself. Only for `postgres://`. Default: the database itself.
   */
  readonly readUrl?: string | undefined;
  /**
   * How long the database may leave unanswered what it answers soon as a rule. Then its machine may be gone without a
   * word: the connection is given up, and another one asked. Too short, and a busy database is asked twice. Only for
   * `postgres://`. 100ms to 1h, default "30s".
   */
  readonly answerTimeout?: Duration | undefined;
}

export const CONNECT_OPTIONS: OptionNames<ConnectOptions> = {
  url: true,
  token: true,
  maxConnections: true,
  listen: true,
  listenUrl: true,
  readUrl: true,
  answerTimeout: true,
};

/** The transport for a url. Connects at the first use. */
export function connect({
  url = process.env["QUEUE_URL"],
  token = process.env["QUEUE_TOKEN"],
  maxConnections,
  listen,
  listenUrl,
  readUrl,
  answerTimeout = "30s",
}: ConnectOptions): Transport {
  const answerWithinMs = parseDuration(answerTimeout, "the answer timeout");
  if (answerWithinMs < 100 || answerWithinMs > 3_600_000) {
    throw new InvalidArgument(
      `Invalid answer timeout ${JSON.stringify(answerTimeout)}: give 100 milliseconds to 1 hour.`,
    );
  }
  if (url === undefined || url === "") {
    throw new InvalidArgument(
      "No database: pass `url`, or set the environment variable QUEUE_URL.",
    );
  }
  if (readUrl !== undefined && !isPostgres(readUrl)) {
    throw new InvalidArgument(
      `Cannot read from a url that begins with "${readUrl.slice(0, 12)}": give that of a standby, like postgres://user:password@host:5432/database.`,
    );
  }
  const scheme = schemeOf(url);
  if (scheme === "http" || scheme === "https") {
    if (readUrl === undefined) return new HttpTransport({ url, token });
    throw new InvalidArgument(
      "`readUrl` is for connections to the database: set QUEUE_READ_URL of the server instead.",
    );
  }
  if (!isPostgres(url)) {
    throw new InvalidArgument(
      `Cannot connect to a url that begins with "${url.slice(0, 12)}": give one like postgres://user:password@host:5432/database, or https://oxbow.example.com.`,
    );
  }
  return new PostgresTransport({
    url,
    answerWithinMs,
    ...(maxConnections === undefined ? {} : { maxConnections }),
    ...(listen === undefined ? {} : { listen }),
    ...(listenUrl === undefined ? {} : { listenUrl }),
    ...(readUrl === undefined ? {} : { readUrl }),
  });
}

const schemeOf = (url: string): string | undefined => /^([a-z+]+):/i.exec(url)?.[1]?.toLowerCase();

const isPostgres = (url: string): boolean => /^postgres(ql)?$/.test(schemeOf(url) ?? "");
