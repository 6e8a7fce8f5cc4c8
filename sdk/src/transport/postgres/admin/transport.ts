/** Administration, straight to the database. */
import type { AdminTransport } from "../../../protocol/admin.ts";
import type { Queries } from "../connection/queries.ts";
import { checkInvariants } from "./functions.ts";

export const adminOverPostgres = (queries: Queries): AdminTransport => ({
  checkInvariants: () => queries.query(checkInvariants, []),
});
