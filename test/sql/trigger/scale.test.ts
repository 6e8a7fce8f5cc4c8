/** Ticks and deliveries touch as many pages among thousands of definitions as among a few. */
import { randomBytes } from "node:crypto";
import { expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../../helpers/database.ts";
import { documentOf } from "../../helpers/definitions.ts";
import { eventually } from "../../helpers/eventually.ts";
import { only } from "../../helpers/queues.ts";
import { commit, receive, start } from "../../helpers/triggers.ts";

/** So many that the indexes have as many levels as among `MANY`. */
const FEW = 300;
const MANY = Number(process.env["DEFINITIONS"] ?? 1_000);
const AT_ONCE = 100;
/** On a busy machine, a second passes between some of them, and with it one advances a mark. */
const TICKS = 12;
/**
 * An autovacuum in between is worth eight pages, either way, and a level more of the indexes fourteen. Reading the
 * definitions, triggers, schedules or messages takes far more.
 */
const MORE_PAGES = 20;

/** Publishes definitions with a webhook and a schedule each. */
async function publish(database: TestDatabase, from: number, to: number): Promise<void> {
  for (let first = from; first < to; first += AT_ONCE) {
    const documents = Array.from({ length: Math.min(AT_ONCE, to - first) }, (_, n) => ({
      ...documentOf(`many-${first + n}`),
      triggers: {
        hook: { on: "webhook" },
        // Far from now, so that only the one is due that the test is about.
        nightly: { on: "schedule", cron: "0 3 1 1 *" },
      },
    }));
    await database.query(
      "select from queue.definition_apply(array(select jsonb_array_elements($1::jsonb)), publish => true)",
      [JSON.stringify(documents)],
    );
  }
  await database.query("analyze");
}

type Plan = Readonly<Record<"Shared Hit Blocks" | "Shared Read Blocks", number>>;

/**
 * The pages that a call touches from the third time in a session on, when its plans and catalog entries are there; the
 * least of them, since now and then a call advances the mark of a queue.
 */
async function pagesOf(
  database: TestDatabase,
  calls: readonly (readonly [text: string, values: readonly unknown[]])[],
): Promise<number> {
  const session = await database.connect();
  // Otherwise each statement changes its plan at some call, to a cheaper one.
  await session.query("set plan_cache_mode = force_generic_plan");
  let pages = Number.POSITIVE_INFINITY;
  for (const [at, [text, values]] of calls.entries()) {
    const { rows } = await session.query<{ "QUERY PLAN": readonly { readonly Plan: Plan }[] }>(
      `explain (analyze, buffers, timing off, format json) ${text}`,
      [...values],
    );
    const { Plan: plan } = only(only(rows)["QUERY PLAN"]);
    if (at >= 2) pages = Math.min(pages, plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]);
  }
  return pages;
}

interface Pages {
  readonly delivery: number;
  readonly tick: number;
  readonly evaluation: number;
}

async function measure(database: TestDatabase): Promise<Pages> {
  const hook = only(
    await database.query<{ hook_id: string }>("select hook_id from queue.trigger_hooks('many-50')"),
  );
  const delivery = await pagesOf(
    database,
    // One for each receipt below.
    [1, 2, 3, 4, 5].map(() => [
      "select * from queue.trigger_hook_receive($1, $2, $3)",
      [hook.hook_id, JSON.stringify({ body: 1 }), randomBytes(8).toString("hex")],
    ]),
  );

  // The tickers have planned all schedules, but for the first look, which is theirs.
  const looks = await eventually(
    () =>
      database.query<{ receipt: string }>(
        "select receipt::text from queue.schedule_receive(1000, 600)",
      ),
    (rows) => rows.length >= TICKS,
  );
  const at = new Date(Math.floor(Date.now() / 1_000) * 1_000 + 86_400_000).toISOString();
  const tick = await pagesOf(
    database,
    looks
      .slice(0, TICKS)
      .map(({ receipt }) => ["select * from queue.schedule_tick($1, '{}', $2)", [receipt, at]]),
  );

  const { epoch, events } = await receive(database, "default", null, 60, 1);
  const [event] = events;
  if (event === undefined) throw new Error("No event.");
  await commit(database, "default", [event], [start(event, "many-50", { trigger: "hook" })]);
  const evaluation = await pagesOf(
    database,
    [1, 2, 3, 4].map(() => [
      "select (queue.trigger_receive('default', 1, 60, $1)).events",
      [epoch],
    ]),
  );
  return { delivery, tick, evaluation };
}

it("a delivery, a tick and the receipt of an event cost no more pages among many definitions", async () => {
  const database = await createDatabase();
  await publish(database, 0, FEW);
  const few = await measure(database);
  await publish(database, FEW, MANY);
  const many = await measure(database);
  for (const name of ["delivery", "tick", "evaluation"] as const) {
    expect(few[name]).toBeGreaterThan(5);
    const isFlat = many[name] < few[name] + MORE_PAGES;
    expect({ name, few, many, isFlat }).toMatchObject({ isFlat: true });
  }
  if (process.env["DEFINITIONS"] !== undefined)
    process.stdout.write(`${JSON.stringify({ few, many })}\n`);
});
