import type { TransactionClient } from "@oxbow/sdk";
import type { EntityManager } from "typeorm";

/** TypeORM */
export const fromTypeOrm = (manager: EntityManager): TransactionClient => ({
  query: async (text, values) => ({ rows: await manager.query<unknown[]>(text, values) }),
});
