import { type OptionNames, checkOptions } from "../core/options.ts";
import type { TransactionClient } from "../protocol/transaction.ts";

export interface TransactionOptions {
  /** A connection with an open transaction of the caller: the operation takes effect if and when that commits. */
  readonly tx?: TransactionClient | undefined;
}

const TRANSACTION_OPTIONS: OptionNames<TransactionOptions> = { tx: true };

/** @throws InvalidArgument for any other option: with a misspelt `tx`, the operation would commit by itself. */
export function txOf(
  options: TransactionOptions | undefined,
  what: string,
): TransactionClient | undefined {
  checkOptions(options, TRANSACTION_OPTIONS, what);
  return options?.tx;
}
