/** Two tenants in two databases: a run is in the database of its tenant, with its rows, and lists show both. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { startShards } from "./database.ts";

interface Order {
  readonly tenant: string;
  readonly id: number;
}

const ship = workflow({
  name: "ship-order",
  run: async (ctx, { tenant, id }: Order) => {
    // In the database of the tenant: the row and the journal of this step commit together.
    await ctx.step.tx("ship", (tx) =>
      tx.query("update shop_order set is_shipped = true where tenant = $1 and id = $2", [
        tenant,
        String(id),
      ]),
    );
    return `${tenant}: order ${id} is on its way`;
  },
});

// The urls of the databases by the names of their shards, as in QUEUE_SHARDS.
await using fleet = await startShards("a", "b");
const { shards } = fleet;
const databases = new Map<string, pg.Client>();
for (const [name, url] of Object.entries(shards)) {
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await database.query(
    "create table shop_order (tenant text, id int, is_shipped boolean not null default false)",
  );
  databases.set(name, database);
}

const worker = createWorker({ shards, workflows: [ship] });
await using client = createWorkflowClient({ shards });

/** Inserts the order and starts its run where the tenant is at home, both or neither. */
async function order(tenant: string, id: number): Promise<string> {
  const home = (await client.home(tenant)) ?? "";
  const tx = databases.get(home);
  if (tx === undefined) throw new Error(`Shard "${home}" is unknown.`);
  await tx.query("begin");
  await tx.query("insert into shop_order values ($1, $2)", [tenant, id]);
  const run = await client.start(ship, { tenant, id }, { tx, route: tenant });
  await tx.query("commit");
  return run.result({ timeout: "10s" });
}

for (const tenant of ["acme", "orchid"]) {
  console.log(`${tenant} is at home in shard ${await client.home(tenant)}`);
  for (const id of [1, 2]) console.log(await order(tenant, id));
}
console.log("runs in all shards:", await client.runs.count({ workflow: ship }));

for (const [name, database] of databases) {
  const { rows } = await database.query<{ tenant: string }>(
    "select distinct tenant from shop_order where is_shipped order by tenant",
  );
  console.log(`shard ${name} has shipped for:`, rows.map(({ tenant }) => tenant).join(", "));
  await database.end();
}
await worker.stop();

// Output:
// acme is at home in shard b
// acme: order 1 is on its way
// acme: order 2 is on its way
// orchid is at home in shard a
// orchid: order 1 is on its way
// orchid: order 2 is on its way
// runs in all shards: 4
// shard a has shipped for: orchid
// shard b has shipped for: acme
