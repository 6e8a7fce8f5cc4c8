import type { TransactionClient } from "@oxbow/sdk";
import type { EntityManager } from "@mikro-orm/postgresql";

/** MikroORM. It writes `?` for each parameter. */
export const fromMikroOrm = (em: EntityManager): TransactionClient => ({
  query: async (text, values) => {
    const bindings = [...text.matchAll(/\$(\d+)/g)].map(([, n]) => values[Number(n) - 1]);
    return { rows: await em.execute<unknown[]>(text.replaceAll(/\$\d+/g, "?"), bindings) };
  },
});
