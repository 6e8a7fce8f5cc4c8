/** What only a direct connection can do. */
import { InvalidArgument } from "../../core/errors.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";

export const NO_TX =
  "A transaction of your own needs a direct connection: give the client a url like postgres://…, not that of a server.";

/** @throws InvalidArgument when there is a transaction, which can't reach the server. */
export function refuseTx(tx: TransactionClient | undefined): void {
  if (tx !== undefined) throw new InvalidArgument(NO_TX);
}
