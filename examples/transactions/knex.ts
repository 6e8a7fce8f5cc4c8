import type { TransactionClient } from "@oxbow/sdk";
import type { Knex } from "knex";

/** Knex. It writes `?` for each parameter. */
export const fromKnex = (tx: Knex.Transaction): TransactionClient => ({
  query: async (text, values) => {
    const bindings = [...text.matchAll(/\$(\d+)/g)].map(([, n]) => values[Number(n) - 1] as string);
    return tx.raw<{ rows: unknown[] }>(text.replaceAll(/\$\d+/g, "?"), bindings);
  },
});
