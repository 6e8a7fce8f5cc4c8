/** A run that starts if, and only if, your own transaction commits: no outbox table, no lost or premature start. */
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { startDatabase } from "./database.ts";

const ship = workflow({
  name: "ship-order",
  run: (ctx, input: { order: number }) =>
    ctx.step.run("ship", () => `order ${input.order} is on its way`),
});

await using database = await startDatabase();
const worker = ship.serve({ url: database.url });
await using client = createWorkflowClient({ url: database.url });

const shop = new pg.Client({ connectionString: database.url });
await shop.connect();
await shop.query("create table shop_order (id int primary key, total int check (total > 0))");

/** Inserts an order and starts its run, both or neither. */
async function order(id: number, total: number): Promise<string> {
  await shop.query("begin");
  try {
    const run = await client.start(ship, { order: id }, { tx: shop });
    await shop.query("insert into shop_order values ($1, $2)", [id, total]);
    await shop.query("commit");
    return await run.result({ timeout: "10s" });
  } catch (error) {
    await shop.query("rollback");
    return `rolled back: ${(error as Error).message}`;
  }
}

console.log(await order(1, 250));
console.log(await order(2, -1));

const { rows } = await shop.query<{ runs: number }>(
  "select count(*)::int as runs from queue.workflow_run",
);
console.log("runs in the database:", rows[0]?.runs);
await shop.end();
await worker.stop();

// Output:
// order 1 is on its way
// rolled back: new row for relation "shop_order" violates check constraint "shop_order_total_check"
// runs in the database: 1
