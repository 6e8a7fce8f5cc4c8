import { type OptionNames, checkOptions } from "../core/options.ts";
import type { TransactionClient } from "../protocol/transaction.ts";

export interface TransactionOptions {
  /** The caller's own connection, inside a transaction: it happens if, and when, that commits. */
  readonly tx?: TransactionClient | undefined;
}

const TRANSACTION_OPTIONS: OptionNames<TransactionOptions> = { tx: true };

/** @throws InvalidArgument where there is another option: what was meant for a transaction would commit by itself. */
export function txOf(
  options: TransactionOptions | undefined,
  what: string,
): TransactionClient | undefined {
  checkOptions(options, TRANSACTION_OPTIONS, what);
  return options?.tx;
}
