/** The queue under the workflows, in plain SQL: from psql, a trigger, an ORM or another language it is the same. */
import pg from "pg";
import { startDatabase } from "./database.ts";

await using database = await startDatabase();
const client = new pg.Client({ connectionString: database.url });
await client.connect();
const sql = async (text: string, ...values: unknown[]): Promise<Record<string, unknown>[]> =>
  (await client.query<Record<string, unknown>>(text, values)).rows;

// A message that is not acknowledged is delivered again, and after two deliveries goes to the dead letters.
await sql("select queue.create_queue('failed-mail')");
await sql(
  "select queue.create_queue('mail', max_receives => 2, dead_letter_queue => 'failed-mail')",
);
await sql(`select queue.send('mail', '{"to": "ada"}')`);
await sql(`select queue.send('mail', '{"to": "bob"}')`);

const [ada] = await sql("select * from queue.receive('mail')");
console.log("received:", ada?.["message"], "deliveries:", ada?.["read_ct"]);
const deleted = await sql("select queue.delete('mail', $1) as acknowledged", ada?.["receipt"]);
console.log(deleted[0]);

for (let delivery = 1; delivery <= 3; delivery += 1) {
  // 0 seconds: visible again immediately, as if the consumer had died.
  const [bob] = await sql("select * from queue.receive('mail', visibility_timeout => 0)");
  console.log(`delivery ${delivery}:`, bob?.["message"] ?? "none");
}
console.log("dead letters:", (await sql("select message from queue.receive('failed-mail')"))[0]);

// FIFO: in order within a group, and one message of a group at a time; groups don't wait for each other.
await sql("select queue.create_queue('ledger', fifo => true)");
for (const [group, entry] of Object.entries({ a: 1, b: 2 })) {
  await sql("select queue.send_fifo('ledger', $1, $2)", String(entry), group);
  await sql("select queue.send_fifo('ledger', $1, $2)", String(entry * 10), group);
}
const heads = await sql("select * from queue.receive_fifo('ledger', max_messages => 10)");
console.log(
  "heads of groups:",
  heads.map((head) => `${String(head["message_group_id"])}${String(head["message"])}`),
);
await client.end();

// Output:
// received: { to: 'ada' } deliveries: 1
// { acknowledged: true }
// delivery 1: { to: 'bob' }
// delivery 2: { to: 'bob' }
// delivery 3: none
// dead letters: { message: { to: 'bob' } }
// heads of groups: [ 'a1', 'b2' ]
