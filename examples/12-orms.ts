/** Starting a run in the transaction of Kysely, or of Drizzle: each needs the few lines of `transactions/`. */
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { drizzle } from "drizzle-orm/node-postgres";
import { integer, pgTable } from "drizzle-orm/pg-core";
import { Kysely, PostgresDialect } from "kysely";
import pg from "pg";
import { startDatabase } from "./database.ts";
import { fromDrizzle } from "./transactions/drizzle.ts";
import { fromKysely } from "./transactions/kysely.ts";

const ship = workflow({
  name: "ship-order",
  run: (ctx, input: { order: number }) =>
    ctx.step.run("ship", () => `order ${input.order} is on its way`),
});

interface Shop {
  shop_order: { id: number; total: number };
}

await using database = await startDatabase();
const pool = new pg.Pool({ connectionString: database.url });
await pool.query("create table shop_order (id int primary key, total int check (total > 0))");
const worker = ship.serve({ url: database.url });
await using client = createWorkflowClient({ url: database.url });

const kysely = new Kysely<Shop>({ dialect: new PostgresDialect({ pool }) });
const shipped = await kysely.transaction().execute(async (tx) => {
  await tx.insertInto("shop_order").values({ id: 1, total: 250 }).execute();
  return client.start(ship, { order: 1 }, { tx: fromKysely(tx), idempotencyKey: "order-1" });
});
console.log("Kysely:", await shipped.result({ timeout: "10s" }));

const shopOrder = pgTable("shop_order", { id: integer().primaryKey(), total: integer() });
const db = drizzle(pool);
const both = await db.transaction(async (tx) => {
  await tx.insert(shopOrder).values({ id: 2, total: 90 });
  return client.start(ship, { order: 2 }, { tx: fromDrizzle(tx), tags: { by: "drizzle" } });
});
console.log("Drizzle:", await both.result({ timeout: "10s" }));

// A rollback starts nothing.
await db
  .transaction(async (tx) => {
    await client.start(ship, { order: 3 }, { tx: fromDrizzle(tx) });
    await tx.insert(shopOrder).values({ id: 3, total: -1 });
  })
  .catch(() => console.log("rolled back"));
console.log("runs:", await client.runs.count({ workflow: ship }));

await worker.stop();
await pool.end();

// Output:
// Kysely: order 1 is on its way
// Drizzle: order 2 is on its way
// rolled back
// runs: 2
