import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";
import { listening } from "../../helpers/triggers.ts";

const names: Record<string, string> = {};

/** 20,000 events: of 5,000 topics, every hundredth of a rare one, every thousandth failed. */

const database = await createDatabase();
for (const topic of ["order.7.updated", "order.*.updated", "rare.#"]) {
  names[topic] = (await listening(database, { topic })).name;
}
await database.query(`
    insert into queue.trigger_event (
      published_at, evaluated_at, expires_at, attempts, depth, pool, topic, state, message, headers
    )
    select now(), now(), now(), 1, 0, 'p',
      case when n % 100 = 0 then 'rare.' || n % 7 else format('order.%s.updated', n % 5000) end,
      case when n % 1000 = 0 then 'failed' else 'evaluated' end, '{}', '{}'
    from generate_series(1, 20000) as n
  `);
await database.query("analyze queue.trigger_event");

interface Plan {
  readonly Plan: Readonly<Record<"Shared Hit Blocks" | "Shared Read Blocks", number>>;
}

/** The rows, and how many pages the call read. */
async function list(filter: string): Promise<{ readonly rows: number; readonly pages: number }> {
  const call = `queue.trigger_events(${filter})`;
  const { length } = await database.query(`select from ${call}`);
  const row = only(
    await database.query(`explain (analyze, buffers, format json) select from ${call}`),
  );
  const [plan] = row["QUERY PLAN"] as readonly [Plan];
  return { rows: length, pages: plan.Plan["Shared Hit Blocks"] + plan.Plan["Shared Read Blocks"] };
}

it("reads no more than the page that it returns", async () => {
  const filters: readonly (readonly [string, number])[] = [
    ["", 50],
    ["state => 'failed'", 20],
    ["topic => 'rare.1'", 29],
    [`name => '${names["order.7.updated"]}'`, 4],
    [`name => '${names["rare.#"]}', state => 'failed'`, 20],
    // Half of the events are older than this one.
    ["state => 'evaluated', before => 10000", 50],
  ];
  for (const [filter, rows] of filters) {
    const found = await list(filter);
    // The table has more than 200 pages, and each row has its matches.
    const isShort = found.pages < 100 + 4 * rows;
    expect({ filter, rows: found.rows, isShort }).toEqual({ filter, rows, isShort: true });
  }
});

it("finds the events of patterns with few topics, and with many", async () => {
  expect(await list(`name => '${names["rare.#"]}', max_events => 1000`)).toMatchObject({
    rows: 200,
  });
  expect(await list(`name => '${names["order.*.updated"]}'`)).toMatchObject({ rows: 50 });
});
