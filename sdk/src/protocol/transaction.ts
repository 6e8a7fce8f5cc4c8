/** Transactions that calls take part in. */

/** Anything that runs SQL inside a transaction of the caller's: a `pg` client, or a thin shim over an ORM's. */
export interface TransactionClient {
  query(text: string, values: unknown[]): Promise<{ rows: unknown[] }>;
}
