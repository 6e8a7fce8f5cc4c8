/** Transactions, which need a direct connection. */
import { InvalidArgument } from "../../core/errors.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";

export const NO_TX =
  "Your transaction needs a direct connection: give the client a url like postgres://…, not that of a server.";

/** @throws InvalidArgument when there is a transaction, which can't reach the server. */
export function refuseTx(tx: TransactionClient | undefined): void {
  if (tx !== undefined) throw new InvalidArgument(NO_TX);
}
