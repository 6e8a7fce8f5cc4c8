/** Transactions that calls take part in. */

/** Anything that runs SQL inside a transaction of the caller's: a `pg` client, or a thin shim over an ORM's. */
export interface TransactionClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}

/** How much of a result is read. */
export interface RowLimits {
  readonly maxRows: number;
  /** Maximum size of the rows, as the database sends them. */
  readonly maxBytes: number;
}

/** The result of a statement within limits. */
export interface LimitedRows {
  readonly rows: Record<string, unknown>[];
  /** Rows that the statement has returned or changed; undefined, and no rows, if its result exceeds the limits. */
  readonly count: number | undefined;
  /** Whether its session may differ after the transaction: see `mayChangeSession`. */
  readonly changesSession: boolean;
}

/** Commands that change nothing but rows. */
const QUERIES = new Set(["SELECT", "INSERT", "UPDATE", "DELETE", "MERGE", "EXPLAIN", "SHOW"]);
const SESSION = /\b(?:set_config|temp|temporary|pg_temp\w*|pg_(?:try_)?advisory_lock\w*)\b/i;
const CODE = /\b(?:do|call)\b/i;

/**
 * Whether a statement may have changed its session for the transactions that follow: by a prepared statement, a setting, a
 * temporary table, a lock. Not found: what functions do whose names don't tell.
 *
 * @param command As the database reports it; undefined if the statement failed, or wasn't read to its end.
 */
export const mayChangeSession = (text: string, command: string | undefined): boolean =>
  SESSION.test(text) || (command === undefined ? CODE.test(text) : !QUERIES.has(command));

export type ReadRows = (
  text: string,
  values: readonly unknown[],
  limits: RowLimits,
) => Promise<LimitedRows>;

/** Where the transaction of a step has its `ReadRows`. */
export const READ_ROWS = Symbol.for("oxbow.read-rows");

/**
 * Executes one statement in the transaction of a step, and reads its result within limits. Internal: for
 * interpreters of workflows, whose statements are data.
 */
export function readWithin(
  tx: object,
  text: string,
  values: readonly unknown[],
  limits: RowLimits,
): Promise<LimitedRows> {
  const { [READ_ROWS]: read } = tx as { readonly [READ_ROWS]?: ReadRows };
  if (read === undefined) throw new Error("This transaction can't limit the rows that it reads.");
  return read(text, values, limits);
}
