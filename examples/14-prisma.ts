/** Starting a run in a transaction of Prisma: its raw query is all that Oxbow needs. */
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";
import { PrismaPg } from "@prisma/adapter-pg";
import { PrismaClient } from "./prisma/generated/client.ts";
import { startDatabase } from "./database.ts";
import { fromPrisma } from "./transactions/prisma.ts";

const ship = workflow({
  name: "ship-order",
  run: (ctx, input: { order: number }) =>
    ctx.step.run("ship", () => `order ${input.order} is on its way`),
});

await using database = await startDatabase();
const prisma = new PrismaClient({
  adapter: new PrismaPg({ connectionString: database.url }),
});
await prisma.$executeRaw`create table shop_order (id int primary key, total int check (total > 0))`;
const worker = ship.serve({ url: database.url });
await using client = createWorkflowClient({ url: database.url });
await client.queues.create("invoices");

const run = await prisma.$transaction(async (tx) => {
  const order = await tx.shopOrder.create({ data: { id: 1, total: 250 } });
  await client.queues.send("invoices", { order: order.id }, { tx: fromPrisma(tx) });
  return client.start(
    ship,
    { order: order.id },
    { tx: fromPrisma(tx), idempotencyKey: `order-${order.id}` },
  );
});
console.log(await run.result({ timeout: "10s" }));

// A rollback starts nothing.
await prisma
  .$transaction(async (tx) => {
    await client.start(ship, { order: 2 }, { tx: fromPrisma(tx) });
    await tx.shopOrder.create({ data: { id: 2, total: -1 } });
  })
  .catch(() => console.log("rolled back"));
console.log("orders:", await prisma.shopOrder.count());
console.log("runs:", await client.runs.count({ workflow: ship }));
console.log("invoices:", (await client.queues.receive("invoices", { max: 10 })).length);

await worker.stop();
await prisma.$disconnect();

// Output:
// order 1 is on its way
// rolled back
// orders: 1
// runs: 1
// invoices: 1
