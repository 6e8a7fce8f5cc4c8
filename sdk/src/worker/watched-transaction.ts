import type { TransactionClient } from "../protocol/transaction.ts";

/** The transaction of a callback, which records the failure that broke it, even if the callback hides that. */
export class WatchedTransaction implements TransactionClient {
  readonly query: TransactionClient["query"];
  #failure: { readonly error: unknown } | undefined;

  constructor(tx: TransactionClient) {
    this.query = async (text, values) => {
      try {
        const answer = await tx.query(text, values);
        // A rollback to a savepoint has repaired the transaction.
        this.#failure = undefined;
        return answer;
      } catch (error) {
        this.#failure ??= { error };
        throw error;
      }
    };
  }

  /** The failure since which no statement has succeeded. */
  get failure(): unknown {
    return this.#failure?.error;
  }
}
