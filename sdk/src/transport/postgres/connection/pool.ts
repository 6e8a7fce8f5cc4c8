/**
 * Connections to Postgres, and what to do when they fail.
 *
 * Promises:
 *   P1  The first use checks that Oxbow is installed, in a version that this SDK speaks.
 *   P2  A statement that may be repeated is asked again after a lost connection, with backoff, until an answer
 *       comes or the pool closes; a database that restarts or fails over is only a pause.
 *   P3  A statement that may not is asked again only while it is certain that it was never sent.
 *   P4  A server that was never reached is reported at once.
 *   P5  Behind a proxy, which may give each transaction another session, statements are not prepared by name. It is
 *       known by the session's id, which differs from the one that the connection received, or by its errors about
 *       prepared statements: then nothing was carried out, and the statement is repeated.
 *   P6  A statement that may be repeated, or is marked as prompt, has lost its connection if the answer takes too long:
 *       a machine that is gone, or a firewall that forgets, sends no error.
 *   P7  A transaction that is given up rejects only once nothing of it is running in the database: its statement is
 *       cancelled there, and it is rolled back. If its connection is lost, its session is ended soon.
 *   P8  When the pool closes, what is under way has a moment to be answered; then its connection is cut.
 *   P9  When one connection turns out to be silent, idle ones are dropped, and busy ones are checked: see
 *       silence-watch.ts.
 *   P10 A statement whose queue is dropped while it runs is asked again, once, for the answer that says so.
 */
import { unlessAborted } from "../../../async/unless-aborted.ts";
import { within } from "../../../async/within.ts";
import {
  ConnectionFailed,
  NotInstalled,
  SchemaVersionMismatch,
  TransactionOver,
} from "../../../core/errors.ts";
import { isSessionUseless } from "../../../protocol/blame.ts";
import {
  isMissing,
  isPreparedElsewhere,
  isUndefined,
  toOxbowError,
  whyUnavailable,
} from "../../../protocol/sqlstate.ts";
import { READ_ROWS, type ReadRows, type TransactionClient } from "../../../protocol/transaction.ts";
import { Attempts } from "../../attempts.ts";
import type { Call } from "./call.ts";
import {
  beginTransaction,
  cancelStatement,
  type InstalledVersion,
  installedVersion,
  terminateTransaction,
} from "./calls.ts";
import { columnTypes } from "./column-types.ts";
import { askInTransaction } from "./foreign-transaction.ts";
import { readAtMost } from "./limited-read.ts";
import { SilenceWatch, cutConnection } from "./silence-watch.ts";
import { Sockets } from "./sockets.ts";
import pg from "pg";
import Cursor from "pg-cursor";

/** The version of the SQL protocol that this SDK speaks: `queue.protocol_version()`. */
const PROTOCOL_VERSION = 1;
/** The first release with all the functions that the `calls.ts` of each noun call. */
const OLDEST_RELEASE = "0.3.0";

const CLOSE_WITHIN_MS = 2_000;

export interface PoolOptions {
  readonly url: string;
  readonly maxConnections: number;
  readonly applicationName: string;
  /** Each connection is known to have its own session, even through a proxy. */
  readonly hasOwnSessions: boolean;
  /** How long an answer may take that comes soon as a rule. */
  readonly answerWithinMs: number;
  /** Called when connections have fallen silent; other ones may have, too. */
  readonly onSilence: () => void;
}

export interface QueryOptions {
  /** The statement may be carried out twice without harm, and a background task waits for its answer. */
  readonly repeatable?: boolean | undefined;
  /** The answer comes soon or never, however much there is in the database. True of what is repeatable. */
  readonly isPrompt?: boolean | undefined;
  /** Once it aborts, the statement isn't sent any more; one that was sent is answered. */
  readonly giveUp?: AbortSignal | undefined;
  /** Called when the statement is sent, each time that it is. */
  readonly onSent?: (() => void) | undefined;
  /** The caller's own connection, whose transaction then decides. */
  readonly tx?: TransactionClient | undefined;
}

/** The driver knows it of each statement; its types don't say so. */
interface Statement extends pg.QueryConfig {
  readonly query_timeout?: number;
}

/** Of one attempt to ask. */
interface Progress {
  sent: boolean;
  isNamed: boolean;
  readonly isPrompt: boolean;
  readonly onSent: (() => void) | undefined;
}

/** Where a transaction is. */
interface TransactionPlace {
  readonly id: number;
  readonly beganAt: string;
}

interface Answer<Row> {
  readonly rows: Row[];
  /** Of the session, as the server, or a proxy, sent it when the connection was made. */
  readonly processId: number | undefined;
}

export class Pool {
  readonly #pool: pg.Pool;
  readonly #transactions: pg.Pool;
  readonly #sockets = new Sockets();
  readonly #idle = new Set<pg.PoolClient>();
  readonly #silence: SilenceWatch;
  readonly #closing = new AbortController();
  readonly #target: string;
  readonly #hasOwnSessions: boolean;
  readonly #answerWithinMs: number;
  #checked: Promise<void> | undefined;
  #everConnected = false;
  #isProxied = false;

  constructor(options: PoolOptions) {
    this.#target = describeTarget(options.url);
    this.#hasOwnSessions = options.hasOwnSessions;
    this.#answerWithinMs = options.answerWithinMs;
    const settings = {
      connectionString: options.url,
      max: options.maxConnections,
      application_name: options.applicationName,
      keepAlive: true,
      connectionTimeoutMillis: 10_000,
      idleTimeoutMillis: 30_000,
      allowExitOnIdle: true,
      stream: this.#sockets.make,
    };
    this.#pool = new pg.Pool({ ...settings, types: columnTypes });
    this.#transactions = new pg.Pool(settings);
    // A lost connection is reported twice: by its statement, or at its next use, and by an event, which would end the
    // process without a listener.
    for (const pool of [this.#pool, this.#transactions]) {
      pool.on("error", () => {});
      pool.on("connect", (client) => void client.on("error", () => {}));
      pool.on("acquire", (client) => void this.#idle.delete(client));
      pool.on("release", (_error, client) => void this.#idle.add(client));
      pool.on("remove", (client) => void this.#idle.delete(client));
    }
    this.#silence = new SilenceWatch({
      config: {
        connectionString: options.url,
        application_name: options.applicationName,
        stream: this.#sockets.make,
      },
      onFound: () => {
        for (const client of this.#idle) cutConnection(client);
        options.onSilence();
      },
    });
  }

  /** Aborts when the pool closes. */
  get closing(): AbortSignal {
    return this.#closing.signal;
  }

  /** Whether a proxy is between us and the database; known after `check`. */
  get isProxied(): boolean {
    return this.#isProxied;
  }

  /** Rows of one call. */
  async query<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    options: QueryOptions = {},
  ): Promise<Row[]> {
    if (options.tx !== undefined) return askInTransaction<Row>(options.tx, call, values);
    await this.check();
    const { rows } = await this.#ask(call, values, options);
    return rows;
  }

  /** The one row of a call that always has one. */
  async queryOne<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    options: QueryOptions = {},
  ): Promise<Row> {
    const [row] = await this.query(call, values, options);
    if (row === undefined) throw new Error(`${call.name} returned no row.`);
    return row;
  }

  /** The result of a function that returns one value. */
  async value<Parameters extends readonly unknown[], Value>(
    call: Call<Parameters, { readonly value: Value }>,
    values: NoInfer<Parameters>,
    options: QueryOptions = {},
  ): Promise<Value> {
    const row = await this.queryOne(call, values, options);
    return row.value;
  }

  /**
   * Rows of one call, read through a cursor, so that they needn't fit in memory. Holds a connection until it is
   * read to the end, or left.
   */
  async *read<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    rowsAtOnce: number,
  ): AsyncGenerator<Row[], void> {
    await this.check();
    const client = await this.#connectBy(this.#pool);
    let broken: Error | undefined;
    try {
      const cursor = client.query(new Cursor<Row>(call.text, [...values]));
      const read = (): Promise<Row[]> =>
        this.#watched(client, this.#sessionOf(client), () => cursor.read(rowsAtOnce));
      try {
        let rows = await read();
        while (rows.length > 0) {
          yield rows;
          rows = await read();
        }
      } finally {
        await cursor.close();
      }
    } catch (error) {
      if (whyUnavailable(error) === undefined) throw toOxbowError(error);
      if (error instanceof Error) broken = error;
      throw new ConnectionFailed({ target: this.#target, sent: true, cause: error });
    } finally {
      client.release(broken);
    }
  }

  /**
   * Work in a transaction, on a separate pool of connections: one that waits for a commit of its run must not keep that
   * commit from getting a connection. Queries after its end, from a callback that has timed out, are rejected: the
   * connection may be in another transaction then.
   *
   * @param signal Gives it up, until the work is done and only COMMIT is left.
   */
  async transaction(
    work: (tx: TransactionClient) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.check();
    signal?.throwIfAborted();
    const client = await this.#connectBy(this.#transactions);
    const running = new Set<Promise<unknown>>();
    let place: TransactionPlace | undefined;
    let broken: Error | undefined;
    let isOver = false;
    const ask = async <Value>(statement: () => Promise<Value>): Promise<Value> => {
      if (isOver) throw new TransactionOver();
      const answer = this.#watched(client, place?.id, statement);
      running.add(answer);
      try {
        return await answer;
      } finally {
        running.delete(answer);
      }
    };
    const query: TransactionClient["query"] = (text, values) =>
      ask(() => client.query(text, values));
    const read: ReadRows = (text, values, limits) =>
      ask(() => readAtMost(client, text, values, limits));
    try {
      place = await this.#begin(client);
      await unlessAborted(work({ query, [READ_ROWS]: read } as TransactionClient), signal).finally(
        () => {
          isOver = true;
        },
      );
      const { command } = await this.#watched(client, place?.id, () =>
        client.query(this.#promptly("commit")),
      );
      if (command !== "COMMIT") throw new Error("The transaction was rolled back at its COMMIT.");
    } catch (error) {
      isOver = true;
      try {
        // A lost connection can't roll back, and its end does.
        if (whyUnavailable(error) === "lost") throw error;
        if (running.size > 0) await this.#cancel(place?.id, running);
        await this.#watched(client, place?.id, () => client.query(this.#promptly("rollback")));
      } catch (again) {
        broken = again instanceof Error ? again : new Error(String(again));
        if (place !== undefined) void this.#terminate(place);
      }
      throw error;
    } finally {
      client.release(broken);
    }
  }

  /** Resolves once the database answers, with a schema that this SDK supports; rejects if it never will. */
  async check(): Promise<void> {
    this.#checked ??= this.#checkInstalled().catch((error: unknown) => {
      this.#checked = undefined;
      throw error;
    });
    await this.#checked;
  }

  async close(): Promise<void> {
    if (this.#closing.signal.aborted) return;
    this.#closing.abort(new Error("the client was closed"));
    this.#silence.close();
    const ended = Promise.all([this.#pool.end(), this.#transactions.end()]);
    if (!(await within(CLOSE_WITHIN_MS, ended))) this.#sockets.destroy();
  }

  async #connectBy(pool: pg.Pool, giveUp?: AbortSignal): Promise<pg.PoolClient> {
    for (const signal of [this.#closing.signal, giveUp]) {
      if (signal?.aborted !== true) continue;
      throw new ConnectionFailed({ target: this.#target, sent: false, cause: signal.reason });
    }
    const connected = pool.connect();
    if (giveUp === undefined) return connected;
    try {
      return await unlessAborted(connected, giveUp);
    } catch (error) {
      if (!giveUp.aborted) throw error;
      connected.then(
        (client) => client.release(),
        () => {},
      );
      throw new ConnectionFailed({ target: this.#target, sent: false, cause: error });
    }
  }

  /**
   * Returns the session that has the transaction, which behind a proxy is known only within it. The database
   * ends the session, and what it has locked is free, soon after this machine is gone without a word.
   */
  async #begin(client: pg.PoolClient): Promise<TransactionPlace | undefined> {
    const results: unknown = await this.#watched(client, this.#sessionOf(client), () =>
      client.query(this.#promptly(`begin; ${beginTransaction.text}`)),
    );
    const [, answer] = results as [unknown, pg.QueryResult<TransactionPlace>];
    return answer.rows[0];
  }

  /** The session behind a connection; undefined where a proxy gives each transaction another one. */
  #sessionOf(client: pg.PoolClient): number | undefined {
    return this.#isProxied ? undefined : processIdOf(client);
  }

  /** Waits for an answer, and fails if the connection turns out to be silent. */
  async #watched<Value>(
    client: pg.PoolClient,
    session: number | undefined,
    work: () => Promise<Value>,
  ): Promise<Value> {
    const isAnswered = this.#silence.expect(client, session);
    try {
      return await work();
    } finally {
      isAnswered();
    }
  }

  /** Cancels what a session is doing, and waits until it has stopped. The session must not be let go before. */
  async #cancel(
    processId: number | undefined,
    running: ReadonlySet<Promise<unknown>>,
  ): Promise<void> {
    const stopped = Promise.allSettled(running);
    await this.#ask(cancelStatement, [processId ?? null], { isPrompt: true });
    if (await within(this.#answerWithinMs, stopped)) return;
    throw new Error("A statement did not end when it was cancelled.");
  }

  /** Frees the locks of a transaction whose connection is lost, which the database may not notice for a while. */
  async #terminate({ id, beganAt }: TransactionPlace): Promise<void> {
    try {
      await this.#ask(terminateTransaction, [id, beganAt], { repeatable: true });
    } catch {
      // The pool is closing. The database ends the session when it finds that this machine doesn't answer.
    }
  }

  #promptly(text: string): Statement {
    return { text, query_timeout: this.#answerWithinMs };
  }

  async #checkInstalled(): Promise<void> {
    let answer: Answer<InstalledVersion>;
    try {
      answer = await this.#ask(installedVersion, [], { isPrompt: true });
    } catch (error) {
      if (isMissing(error)) throw new NotInstalled(this.#target);
      throw error;
    }
    const [installed] = answer.rows;
    if (!this.#hasOwnSessions && installed?.processId !== answer.processId) this.#isProxied = true;
    if (installed === undefined || installed.protocol !== PROTOCOL_VERSION) {
      throw new SchemaVersionMismatch({
        target: this.#target,
        installed: installed?.version ?? "unknown",
        installedProtocol: installed?.protocol ?? 0,
        supportedProtocol: PROTOCOL_VERSION,
      });
    }
    if (isOlder(installed.version, OLDEST_RELEASE)) {
      throw new SchemaVersionMismatch({
        target: this.#target,
        installed: installed.version,
        installedProtocol: installed.protocol,
        supportedProtocol: PROTOCOL_VERSION,
        oldest: OLDEST_RELEASE,
      });
    }
  }

  async #ask<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    { repeatable = false, isPrompt = repeatable, onSent, giveUp }: QueryOptions,
  ): Promise<Answer<Row>> {
    const attempts = new Attempts({
      target: this.#target,
      isRepeatable: repeatable,
      signals: [this.#closing.signal, giveUp],
    });
    for (let isAgain = false; ;) {
      const progress = { sent: false, isNamed: false, isPrompt, onSent };
      try {
        return await this.#askOnce(call, values, progress, giveUp);
      } catch (error) {
        if (isPreparedElsewhere(error) && progress.isNamed) {
          this.#isProxied = true;
          continue;
        }
        if (isUndefined(error) && !isAgain) {
          isAgain = true;
          continue;
        }
        const why = whyUnavailable(error);
        if (why === undefined) throw toOxbowError(error);
        await attempts.next({
          cause: error,
          sent: progress.sent && why !== "busy",
          isFinal: why === "refused" || !this.#everConnected,
        });
      }
    }
  }

  async #askOnce<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    progress: Progress,
    giveUp: AbortSignal | undefined,
  ): Promise<Answer<Row>> {
    const client = await this.#connectBy(this.#pool, giveUp);
    this.#everConnected = true;
    const isKnown = call.name !== installedVersion.name;
    const isAnswered = this.#silence.expect(client, isKnown ? this.#sessionOf(client) : undefined);
    let broken: Error | undefined;
    try {
      progress.sent = true;
      progress.onSent?.();
      // The first query is not prepared either: a proxy may be in between.
      progress.isNamed = !this.#isProxied && isKnown;
      const statement: Statement = {
        ...(progress.isNamed ? { name: call.name } : {}),
        text: call.text,
        values: [...values],
        ...(progress.isPrompt ? { query_timeout: this.#answerWithinMs } : {}),
      };
      const { rows } = await client.query<Row & pg.QueryResultRow>(statement);
      return { rows, processId: processIdOf(client) };
    } catch (error) {
      if (error instanceof Error && isSessionUseless(error)) broken = error;
      throw error;
    } finally {
      isAnswered();
      client.release(broken);
    }
  }
}

/** The driver keeps it, and its types don't say so. */
function processIdOf(client: pg.PoolClient): number | undefined {
  const id: unknown = Reflect.get(client, "processID");
  return typeof id === "number" ? id : undefined;
}

/** Where a URL points, without the password. */
function describeTarget(url: string): string {
  try {
    const { hostname, port, pathname } = new URL(url);
    return `database "${decodeURIComponent(pathname.slice(1))}" on ${hostname || "the local socket"}${port === "" ? "" : `:${port}`}`;
  } catch {
    return "the database";
  }
}

function isOlder(release: string, than: string): boolean {
  const [own = [], other = []] = [release, than].map((text) => text.split(".").map(Number));
  const at = own.findIndex((number, index) => number !== other[index]);
  return at !== -1 && (own[at] ?? 0) < (other[at] ?? 0);
}
