import type { TransactionClient } from "@oxbow/sdk";
import { type SQL, sql } from "drizzle-orm";

/** Drizzle, on node-postgres and on postgres.js. Its queries are made of fragments: each `$1` of the text is one. */
export const fromDrizzle = (tx: {
  execute(query: SQL): PromiseLike<unknown>;
}): TransactionClient => ({
  query: async (text, values) => {
    const parts = text.split(/\$(\d+)/);
    const result = await tx.execute(
      sql.join(
        parts.map((part, n) => (n % 2 === 0 ? sql.raw(part) : sql`${values[Number(part) - 1]}`)),
      ),
    );
    return Array.isArray(result) ? { rows: result } : (result as { rows: unknown[] });
  },
});
