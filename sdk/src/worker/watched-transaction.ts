import type { TransactionClient } from "../protocol/transaction.ts";

/** The transaction of a callback, which knows what broke it, whatever the callback makes of that. */
export class WatchedTransaction implements TransactionClient {
  readonly query: TransactionClient["query"];
  #failure: { readonly error: unknown } | undefined;

  constructor(tx: TransactionClient) {
    this.query = async (text, values) => {
      try {
        const answer = await tx.query(text, values);
        // One that a savepoint has saved is not broken.
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
