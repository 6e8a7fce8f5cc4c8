import type { TransactionClient } from "@oxbow/sdk";
import { CompiledQuery, type Transaction } from "kysely";

/** Kysely */
export const fromKysely = <Tables>(tx: Transaction<Tables>): TransactionClient => ({
  query: (text, values) => tx.executeQuery(CompiledQuery.raw(text, values)),
});
