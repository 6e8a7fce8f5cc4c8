/** Where the options of a client or a worker lead, checked before anything connects. */
import { type Duration, parseDuration } from "../core/duration.ts";
import { InvalidArgument } from "../core/errors.ts";
import { environment } from "../core/host.ts";
import type { OptionNames } from "../core/options.ts";
import { readServerList } from "./postgres/connection/server-list.ts";
import type { PostgresTransportOptions } from "./postgres/postgres-transport.ts";

/** The database of a shard. */
export interface ShardConnection {
  /** `postgres://…`, straight to the database of the shard. */
  readonly url: string;
  /** As `listenUrl` of a client. */
  readonly listenUrl?: string | undefined;
  /** As `readUrl` of a client. */
  readonly readUrl?: string | undefined;
}

export interface ConnectOptions {
  /**
   * The shards of a fleet by name, instead of a `url`: of a client, all of them; of a worker, the ones to serve. Needs the
   * package `@oxbow/fleet`.
   * Default: the environment's `QUEUE_SHARDS`, such as `a=postgres://… b=postgres://…`, if neither `url` nor `QUEUE_URL`
   * is given.
   */
  readonly shards?: Readonly<Record<string, string | ShardConnection>> | undefined;
  /**
   * `postgres://…`, straight to the database, or `http(s)://…`, through a server. Default: the environment's
   * `QUEUE_URL`. With several servers, as in `postgres://app@db1:5432,db2:5432/shop?target_session_attrs=read-write`,
   * connections lead to the one that accepts writes, also after a failover.
   */
  readonly url?: string | undefined;
  /** Token by which a server recognizes us. Default: the environment's `QUEUE_TOKEN`. */
  readonly token?: string | undefined;
  /**
   * Most connections besides the listening one, to each shard. Default 6; 3 from four shards on. `step.tx` needs 2, and 3
   * in a fleet: with fewer, so many are opened.
   */
  readonly maxConnections?: number | undefined;
  /**
   * Whether LISTEN wakes the client, which needs a session: a proxy that pools by transaction has no sessions.
   * Otherwise the client polls. Default: true, unless a proxy is found in between.
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
  shards: true,
  url: true,
  token: true,
  maxConnections: true,
  listen: true,
  listenUrl: true,
  readUrl: true,
  answerTimeout: true,
};

/** The database, or the server, at a url, or all shards of a fleet. */
export type Target = DatabaseTarget | ServerTarget | FleetTarget;

interface DatabaseTarget {
  readonly kind: "database";
  readonly database: PostgresTransportOptions;
}

interface ServerTarget {
  readonly kind: "server";
  readonly url: string;
  readonly token: string | undefined;
}

interface FleetTarget {
  readonly kind: "fleet";
  readonly shards: readonly ShardTarget[];
}

export interface ShardTarget {
  readonly name: string;
  readonly database: PostgresTransportOptions;
}

/**
 * @param otherwise The url if neither the options nor the environment have one.
 * @throws InvalidArgument
 */
export function targetOf(options: ConnectOptions, otherwise?: string): Target {
  const shards = shardUrls(options);
  if (shards !== undefined) return { kind: "fleet", shards: toShardTargets(shards, options) };
  const { QUEUE_URL, QUEUE_TOKEN } = environment();
  const { url = QUEUE_URL ?? otherwise, token = QUEUE_TOKEN } = options;
  if (url === undefined || url === "") {
    throw new InvalidArgument(
      "No database: pass `url`, or set the environment variable QUEUE_URL.",
    );
  }
  return /^https?:/i.test(url)
    ? toServerTarget(url, token, options)
    : { kind: "database", database: toDatabase({ ...options, url }) };
}

type Shards = Readonly<Record<string, ShardConnection>>;

const MANY_SHARDS = 4;

/** Undefined for a single url. */
function shardUrls({ shards, ...options }: ConnectOptions): Shards | undefined {
  if (shards === undefined) {
    const { QUEUE_SHARDS: text, QUEUE_URL: url } = environment();
    const isOne = options.url !== undefined || (url ?? "") !== "";
    return isOne || (text ?? "") === "" ? undefined : readShards(text ?? "");
  }
  for (const name of ["url", "token", "listenUrl", "readUrl"] as const) {
    if (options[name] === undefined) continue;
    throw new InvalidArgument(
      `Give either \`${name}\` or \`shards\`: each shard has its own, as in { a: { url, listenUrl, readUrl } }.`,
    );
  }
  const entries = Object.entries(shards).map(
    ([name, shard]) => [name, typeof shard === "string" ? { url: shard } : shard] as const,
  );
  if (entries.length === 0) {
    throw new InvalidArgument('No shards: give at least one, as in { a: "postgres://…" }.');
  }
  return Object.fromEntries(entries);
}

/** @throws InvalidArgument */
function readShards(text: string): Shards {
  const entries = text
    .trim()
    .split(/\s+/)
    .map((item) => {
      const [, name, url] = /^([a-z][a-z0-9-]{0,29})=(\S+)$/.exec(item) ?? [];
      if (name !== undefined && url !== undefined) return [name, { url }] as const;
      throw new InvalidArgument(
        `Invalid QUEUE_SHARDS at "${item.slice(0, 12)}": give names and urls, like "a=postgres://… b=postgres://…".`,
      );
    });
  return Object.fromEntries(entries);
}

function toShardTargets(
  shards: Shards,
  { maxConnections, listen, answerTimeout }: ConnectOptions,
): ShardTarget[] {
  const entries = Object.entries(shards);
  const most = maxConnections ?? (entries.length < MANY_SHARDS ? undefined : 3);
  return entries.map(([name, { url, listenUrl, readUrl }]) => {
    if (!isPostgres(url)) {
      throw new InvalidArgument(
        `Shard "${name}" has a url that begins with "${url.slice(0, 12)}": give one like postgres://user:password@host:5432/database.`,
      );
    }
    const options = { url, listenUrl, readUrl, listen, answerTimeout, maxConnections: most };
    return { name, database: toDatabase(options) };
  });
}

function toServerTarget(
  url: string,
  token: string | undefined,
  { readUrl, answerTimeout }: ConnectOptions,
): ServerTarget {
  toAnswerWithinMs(answerTimeout);
  if (readUrl !== undefined) {
    requirePostgres(readUrl);
    throw new InvalidArgument(
      "`readUrl` is for connections to the database: set QUEUE_READ_URL of the server instead.",
    );
  }
  if (!URL.canParse(url)) {
    throw new InvalidArgument(
      `Cannot connect to a url that begins with "${url.slice(0, 12)}": give one like https://oxbow.example.com.`,
    );
  }
  return { kind: "server", url, token };
}

function toDatabase({
  url,
  maxConnections,
  listen,
  listenUrl,
  readUrl,
  answerTimeout,
}: ConnectOptions & { readonly url: string }): PostgresTransportOptions {
  const answerWithinMs = toAnswerWithinMs(answerTimeout);
  if (readUrl !== undefined) requirePostgres(readUrl);
  if (!isPostgres(url)) {
    throw new InvalidArgument(
      `Cannot connect to a url that begins with "${url.slice(0, 12)}": give one like postgres://user:password@host:5432/database, or https://oxbow.example.com.`,
    );
  }
  for (const one of [url, listenUrl, readUrl]) if (one !== undefined) readServerList(one);
  const { OXBOW_RUN_TOKEN_KEYS: runTokenKeys } = environment();
  return { url, answerWithinMs, runTokenKeys, maxConnections, listen, listenUrl, readUrl };
}

function toAnswerWithinMs(timeout: Duration = "30s"): number {
  const ms = parseDuration(timeout, "the answer timeout");
  if (ms >= 100 && ms <= 3_600_000) return ms;
  throw new InvalidArgument(
    `Invalid answer timeout ${JSON.stringify(timeout)}: give 100 milliseconds to 1 hour.`,
  );
}

function requirePostgres(readUrl: string): void {
  if (isPostgres(readUrl)) return;
  throw new InvalidArgument(
    `Cannot read from a url that begins with "${readUrl.slice(0, 12)}": give that of a standby, like postgres://user:password@host:5432/database.`,
  );
}

const isPostgres = (url: string): boolean => /^postgres(ql)?:/i.test(url);

export const noSuchShard = (name: string, names: readonly string[]): InvalidArgument =>
  new InvalidArgument(`There is no shard "${name}": it is one of ${names.join(", ")}.`);
