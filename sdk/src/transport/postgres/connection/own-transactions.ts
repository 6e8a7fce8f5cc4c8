/**
 * Transactions on connections of the SDK, as `step.tx` and `consume` with `tx` need them. Keeps the promise P7 of
 * `pool.ts`. Transactions of the caller are in `foreign-transaction.ts`.
 */
import { unlessAborted } from "../../../async/unless-aborted.ts";
import { within } from "../../../async/within.ts";
import { TransactionOver } from "../../../core/errors.ts";
import { whyUnavailable } from "../../../protocol/sqlstate.ts";
import {
  mayChangeSession,
  READ_ROWS,
  type ReadRows,
  type TransactionClient,
} from "../../../protocol/transaction.ts";
import type { Call } from "../../../protocol/rooms.ts";
import { beginTransaction, cancelStatement, terminateTransaction } from "./calls.ts";
import type { Purpose } from "./connection-shares.ts";
import type { Connections, Statement } from "./connections.ts";
import { readAtMost } from "./limited-read.ts";
import type pg from "pg";

interface OwnTransactionOptions {
  readonly connections: Connections;
  /** How long an answer may take that comes soon as a rule. */
  readonly answerWithinMs: number;
  /** Asks over another connection. */
  readonly ask: <Parameters extends readonly unknown[]>(
    call: Call<Parameters>,
    values: NoInfer<Parameters>,
    options: { readonly repeatable?: boolean; readonly isPrompt?: boolean },
  ) => Promise<unknown>;
}

/** Where a transaction is. */
interface TransactionPlace {
  readonly id: number;
  readonly beganAt: string;
}

export class OwnTransactions {
  readonly #connections: Connections;
  readonly #answerWithinMs: number;
  readonly #ask: OwnTransactionOptions["ask"];

  constructor({ connections, answerWithinMs, ask }: OwnTransactionOptions) {
    this.#connections = connections;
    this.#answerWithinMs = answerWithinMs;
    this.#ask = ask;
  }

  /**
   * Queries after the end of the transaction, from a callback that has timed out, are rejected: the connection may be
   * in another transaction then.
   *
   * @param signal Gives it up, until the work is done and only COMMIT is left.
   */
  async run(
    purpose: Purpose,
    work: (tx: TransactionClient) => Promise<void>,
    signal?: AbortSignal,
  ): Promise<void> {
    const client = await this.#connect(purpose, signal);
    const running = new Set<Promise<unknown>>();
    let place: TransactionPlace | undefined;
    let broken: Error | undefined;
    let isOver = false;
    const ask = async <Value>(statement: () => Promise<Value>): Promise<Value> => {
      if (isOver) throw new TransactionOver();
      const answer = this.#connections.watched(client, place?.id, statement);
      running.add(answer);
      try {
        return await answer;
      } finally {
        running.delete(answer);
      }
    };
    const query: TransactionClient["query"] = (text, values) =>
      ask(() => client.query(text, values));
    let isChanged = false;
    const read: ReadRows = async (text, values, limits) => {
      let changesSession: boolean | undefined;
      try {
        const result = await ask(() => readAtMost(client, text, values, limits));
        ({ changesSession } = result);
        return result;
      } finally {
        isChanged ||= changesSession ?? mayChangeSession(text, undefined);
      }
    };
    try {
      place = await this.#begin(client);
      await unlessAborted(work({ query, [READ_ROWS]: read } as TransactionClient), signal).finally(
        () => {
          isOver = true;
        },
      );
      const { command } = await this.#send(client, place?.id, "commit");
      if (command !== "COMMIT") throw new Error("The transaction was rolled back at its COMMIT.");
    } catch (error) {
      isOver = true;
      try {
        // A lost connection can't roll back, and its end does.
        if (whyUnavailable(error) === "lost") throw error;
        if (place !== undefined && running.size > 0) await this.#cancel(place, running);
        await this.#send(client, place?.id, "rollback");
      } catch (again) {
        broken = again instanceof Error ? again : new Error(String(again));
        if (place !== undefined) void this.#terminate(place);
      }
      throw error;
    } finally {
      // Another transaction must not find what a statement that is data has left in the session.
      client.release(broken ?? isChanged);
    }
  }

  async #connect(purpose: Purpose, signal: AbortSignal | undefined): Promise<pg.PoolClient> {
    try {
      return await this.#connections.connect(purpose, signal);
    } catch (error) {
      signal?.throwIfAborted();
      throw error;
    }
  }

  /**
   * Returns the session that has the transaction, which behind a proxy is known only within it. The database
   * ends the session, and what it has locked is free, soon after this machine is gone without a word.
   */
  async #begin(client: pg.PoolClient): Promise<TransactionPlace | undefined> {
    const session = this.#connections.sessionOf(client);
    const results: unknown = await this.#send(client, session, `begin; ${beginTransaction.text}`);
    const [, answer] = results as [unknown, pg.QueryResult<TransactionPlace>];
    return answer.rows[0];
  }

  #send(client: pg.PoolClient, session: number | undefined, text: string): Promise<pg.QueryResult> {
    const statement: Statement = { text, query_timeout: this.#answerWithinMs };
    return this.#connections.watched(client, session, () => client.query(statement));
  }

  /** Cancels what a session is doing, and waits until it has stopped. The session must not be let go before. */
  async #cancel(
    { id, beganAt }: TransactionPlace,
    running: ReadonlySet<Promise<unknown>>,
  ): Promise<void> {
    const stopped = Promise.allSettled(running);
    await this.#ask(cancelStatement, [id, beganAt], { isPrompt: true });
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
}
