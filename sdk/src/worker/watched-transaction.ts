import {
  READ_ROWS,
  type ReadRows,
  readWithin,
  type TransactionClient,
} from "../protocol/transaction.ts";

const SETS_ROLE = /\bset\s+(?:local\s+|session\s+)?role\b|\bset_config\s*\(/i;

/**
 * The transaction of a callback, which records the failure that broke it, even if the callback hides that, and whether it may
 * have another role since, as for row-level security.
 */
export class WatchedTransaction implements TransactionClient {
  readonly query: TransactionClient["query"];
  readonly [READ_ROWS]: ReadRows;
  #failure: { readonly error: unknown } | undefined;
  #hasSetRole = false;

  constructor(tx: TransactionClient) {
    this.query = (text, values) => {
      this.#hasSetRole ||= SETS_ROLE.test(text);
      return this.#noting(() => tx.query(text, values));
    };
    this[READ_ROWS] = (text, values, limits) =>
      this.#noting(() => readWithin(tx, text, values, limits));
  }

  /** The failure since which no statement has succeeded. */
  get failure(): unknown {
    return this.#failure?.error;
  }

  get hasSetRole(): boolean {
    return this.#hasSetRole;
  }

  async #noting<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    try {
      const answer = await ask();
      // A rollback to a savepoint has repaired the transaction.
      this.#failure = undefined;
      return answer;
    } catch (error) {
      this.#failure ??= { error };
      throw error;
    }
  }
}
