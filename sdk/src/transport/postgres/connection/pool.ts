/**
 * Calls of the database, and what to do when connections fail. The connections themselves are in `connections.ts`,
 * transactions in `own-transactions.ts`.
 *
 * Promises:
 *   P1  The first use checks that Oxbow is installed, in a version that this SDK speaks, and that the database is the
 *       shard that its url was given for, if it was given for one.
 *   P2  A statement that may be repeated is asked again after a lost connection, with backoff, until an answer
 *       comes or the pool closes; a database that restarts or fails over is only a pause.
 *   P3  A statement that may not is asked again only while it is certain that it was never sent.
 *   P4  A server that was never reached is reported without a retry.
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
 *   P10 A statement whose queue is dropped while it runs is asked again, once, for the answer that says so; so is one that
 *       an upgrade takes a function from.
 *   P11 A statement that limits how long it waits for locks, and is cancelled, is asked again, once. PostgreSQL loses the
 *       cause if the limit ends while a lock is granted and the statement then waits for another one: it reports a
 *       cancellation by a user (57014), in about 1 of 100,000 such waits.
 *   P12 Statements are read committed, also where a database or a role has another default, unless a proxy is in between:
 *       a snapshot older than the locks of a statement misses changes that came before them.
 */
import { unlessAborted } from "../../../async/unless-aborted.ts";
import { ConnectionFailed, NotInstalled } from "../../../core/errors.ts";
import { isSessionUseless } from "../../../protocol/blame.ts";
import type { Call, QueryOptions } from "../../../protocol/rooms.ts";
import type { OwnFleetMap } from "../../../protocol/shards.ts";
import {
  isCancelled,
  isChangedUnderneath,
  isMissing,
  isPreparedElsewhere,
  toOxbowError,
  whyUnavailable,
} from "../../../protocol/sqlstate.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import { Attempts } from "../../attempts.ts";
import { fleetMap } from "../shards/functions.ts";
import type { ValueText, WrittenRows } from "../../../protocol/relay.ts";
import { explainNul, parameterText } from "./arguments.ts";
import { limitsItsWait } from "./call.ts";
import { type InstalledVersion, installedVersion } from "./calls.ts";
import type { Purpose } from "./connection-shares.ts";
import { type ConnectionOptions, Connections, type Statement, processIdOf } from "./connections.ts";
import { askInTransaction } from "./foreign-transaction.ts";
import { OwnTransactions } from "./own-transactions.ts";
import { PacedCursor, type Piece } from "./paced-cursor.ts";
import { requireSupported } from "./supported-version.ts";
import type pg from "pg";

export interface PoolOptions extends ConnectionOptions {
  /** Each connection is known to have its own session, even through a proxy. */
  readonly hasOwnSessions: boolean;
  /** How long an answer may take that comes soon as a rule. */
  readonly answerWithinMs: number;
  /** Throws unless the database is the shard that it has to be; undefined accepts any database. */
  readonly requireShard?: ((map: OwnFleetMap | undefined) => void) | undefined;
}

interface RawOptions extends QueryOptions {
  /** Columns are left as the database writes them, and rows are arrays. */
  readonly isWritten?: boolean;
}

const AS_WRITTEN = { rowMode: "array", types: { getTypeParser: () => (text: string) => text } };

/** Progress of one attempt to ask. */
interface Progress {
  sent: boolean;
  isNamed: boolean;
}

interface Answer<Row> {
  readonly rows: Row[];
  readonly columns: pg.FieldDef[];
  /** Process id of the session, as the server, or a proxy, sent it when the connection was made. */
  readonly processId: number | undefined;
}

export class Pool {
  readonly #connections: Connections;
  readonly #transactions: OwnTransactions;
  readonly #hasOwnSessions: boolean;
  readonly #answerWithinMs: number;
  readonly #requireShard: PoolOptions["requireShard"];
  #checked: Promise<void> | undefined;
  #everConnected = false;

  constructor(options: PoolOptions) {
    this.#connections = new Connections(options);
    this.#hasOwnSessions = options.hasOwnSessions;
    this.#answerWithinMs = options.answerWithinMs;
    this.#requireShard = options.requireShard;
    this.#transactions = new OwnTransactions({
      connections: this.#connections,
      answerWithinMs: options.answerWithinMs,
      ask: (call, values, how) => this.#ask(call, values, how),
    });
  }

  /** Aborts when the pool closes. */
  get closing(): AbortSignal {
    return this.#connections.closing;
  }

  /** Whether a proxy is between us and the database; known after `check`. */
  get isProxied(): boolean {
    return this.#connections.isProxied;
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

  /** Rows of one call, as the database writes them. */
  async queryWritten<Parameters extends readonly unknown[]>(
    call: Call<Parameters>,
    values: NoInfer<Parameters>,
    options: QueryOptions = {},
  ): Promise<WrittenRows> {
    await this.check();
    const { rows, columns } = await this.#ask(call, values, { ...options, isWritten: true });
    return {
      columns: columns.map(({ name, dataTypeID }) => ({ name, type: dataTypeID })),
      rows: rows as ValueText[][],
    };
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
   *
   * @param purpose "exports" if a caller takes the rows, whenever it wants them.
   */
  async *read<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    purpose: Extract<Purpose, "statements" | "exports"> = "statements",
  ): AsyncGenerator<Piece<Row>, void> {
    await this.check();
    const client = await this.#untilDone(call, values, {}, () =>
      this.#connections.connect(purpose),
    );
    let broken: Error | undefined;
    try {
      const cursor = client.query(new PacedCursor<Row>(call.text, values.map(parameterText)));
      const take = (): Promise<Piece<Row>> =>
        this.#connections.watched(client, this.#connections.sessionOf(client), () => cursor.take());
      try {
        let piece = await take();
        while (piece.rows.length > 0) {
          yield piece;
          piece = await take();
        }
      } finally {
        await cursor.finish();
      }
    } catch (error) {
      if (whyUnavailable(error) === undefined) {
        explainNul(error, call.text, values);
        throw toOxbowError(error);
      }
      if (error instanceof Error) broken = error;
      throw new ConnectionFailed({ target: this.#connections.target, sent: true, cause: error });
    } finally {
      client.release(broken);
    }
  }

  /**
   * Work in a transaction on a connection of the pool. Queries after its end, from a callback that has timed out, are
   * rejected.
   *
   * @param signal Gives it up, until the work is done and only COMMIT is left.
   */
  async transaction(
    work: (tx: TransactionClient) => Promise<void>,
    signal?: AbortSignal,
    purpose: Purpose = "transactions",
  ): Promise<void> {
    await unlessAborted(this.check(), signal);
    signal?.throwIfAborted();
    await this.#transactions.run(purpose, work, signal);
  }

  /**
   * Resolves once the database answers, with a schema that this SDK supports, as the shard that it has to be; rejects if it
   * never will.
   */
  async check(): Promise<void> {
    this.#checked ??= this.#checkDatabase().catch((error: unknown) => {
      this.#checked = undefined;
      throw error;
    });
    await this.#checked;
  }

  async close(): Promise<void> {
    await this.#connections.close();
  }

  async #checkDatabase(): Promise<void> {
    await this.#checkInstalled();
    if (this.#requireShard === undefined) return;
    const { rows } = await this.#ask(fleetMap, [], { isPrompt: true });
    this.#requireShard(rows[0]?.value ?? undefined);
  }

  async #checkInstalled(): Promise<void> {
    let answer: Answer<InstalledVersion>;
    try {
      answer = await this.#ask(installedVersion, [], { isPrompt: true });
    } catch (error) {
      if (isMissing(error)) throw new NotInstalled(this.#connections.target);
      throw error;
    }
    const [installed] = answer.rows;
    if (!this.#hasOwnSessions && installed?.processId !== answer.processId) {
      this.#connections.isProxied = true;
    }
    requireSupported(installed, this.#connections.target);
    // P12. A proxy may refuse connections with options.
    const isDirect = installed?.processId === answer.processId;
    if (isDirect && installed?.isolation !== "read committed") {
      await this.#connections.readCommitted();
    }
  }

  #ask<Parameters extends readonly unknown[], Row>(
    call: Call<Parameters, Row>,
    values: NoInfer<Parameters>,
    options: RawOptions,
  ): Promise<Answer<Row>> {
    return this.#untilDone(call, values, options, (progress) =>
      this.#askOnce(call, values, options, progress),
    );
  }

  /** Attempts a call, or a part of it, as P2 to P5, P10 and P11 say. */
  async #untilDone<Result>(
    call: Call,
    values: readonly unknown[],
    { repeatable = false, giveUp }: RawOptions,
    attempt: (progress: Progress) => Promise<Result>,
  ): Promise<Result> {
    const attempts = new Attempts({
      target: this.#connections.target,
      isRepeatable: repeatable,
      signals: [this.#connections.closing, giveUp],
    });
    for (let isAgain = false; ;) {
      const progress = { sent: false, isNamed: false };
      try {
        return await attempt(progress);
      } catch (error) {
        if (isPreparedElsewhere(error) && progress.isNamed) {
          this.#connections.isProxied = true;
          continue;
        }
        if (
          (isChangedUnderneath(error) || (isCancelled(error) && limitsItsWait(call))) &&
          !isAgain
        ) {
          isAgain = true;
          continue;
        }
        const why = whyUnavailable(error);
        if (why === undefined) {
          explainNul(error, call.text, values);
          throw toOxbowError(error);
        }
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
    { repeatable, isPrompt = repeatable, isWritten, onSent, giveUp }: RawOptions,
    progress: Progress,
  ): Promise<Answer<Row>> {
    const client = await this.#connections.connect("statements", giveUp);
    this.#everConnected = true;
    const isKnown = call.name !== installedVersion.name;
    const session = isKnown ? this.#connections.sessionOf(client) : undefined;
    const isAnswered = this.#connections.expectAnswer(client, session);
    let broken: Error | undefined;
    try {
      progress.sent = true;
      onSent?.();
      // The first query is not prepared either: a proxy may be in between.
      progress.isNamed = !this.#connections.isProxied && isKnown;
      const statement: Statement = {
        ...(progress.isNamed ? { name: call.name } : {}),
        text: call.text,
        values: values.map(parameterText),
        ...(isPrompt === true ? { query_timeout: this.#answerWithinMs } : {}),
        ...(isWritten === true ? AS_WRITTEN : {}),
      };
      const { rows, fields } = await client.query<Row & pg.QueryResultRow>(statement);
      return { rows, columns: fields, processId: processIdOf(client) };
    } catch (error) {
      if (error instanceof Error && isSessionUseless(error)) broken = error;
      throw error;
    } finally {
      isAnswered();
      client.release(broken);
    }
  }
}
