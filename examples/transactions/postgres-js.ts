import type { TransactionClient } from "@oxbow/sdk";
import type { TransactionSql } from "postgres";

/** postgres.js */
export const fromPostgresJs = (tx: TransactionSql): TransactionClient => ({
  query: async (text, values) => ({ rows: await tx.unsafe(text, values as string[]) }),
});
