import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { only } from "../../helpers/queues.ts";

const database = await createDatabase();

const startAll = (name: string, inputs: readonly unknown[]): Promise<unknown> =>
  database.query("select run_id from queue.workflow_start_batch($1, $2::jsonb[])", [
    name,
    inputs.map((input) => JSON.stringify(input)),
  ]);

const found = async (filter: object): Promise<unknown[]> => {
  const rows = await database.query(
    "select input from queue.workflow_list($1, with_values => true)",
    [JSON.stringify(filter)],
  );
  return rows.map(({ input }) => input);
};

const index = async (call: string): Promise<unknown> =>
  only(await database.query(`select queue.workflow_index_input(${call}) as changed`))["changed"];

describe("an index of inputs", () => {
  it("is made and dropped once, and changes nothing of what is found", async () => {
    const inputs = [
      { order: 1, lines: [{ sku: "a" }, { sku: "b" }] },
      { order: 2, lines: [{ sku: "b" }] },
      { order: 3 },
      null,
    ];
    await startAll("orders", inputs);
    await startAll("others", [{ order: 1 }]);
    const questions = [
      { name: "orders", input: { order: 1 } },
      { name: "orders", input: { lines: [{ sku: "b" }] } },
      { name: "orders", input: { lines: [{ sku: "b" }] }, tags: { none: true } },
      { name: "orders", input: {} },
      { name: "orders", input: { order: "1" } },
      { input: { order: 1 } },
    ];
    const ask = () => Promise.all(questions.map(found));
    const before = await ask();
    expect(before.map((rows) => rows.length)).toEqual([1, 2, 0, 3, 0, 2]);
    expect(await index("'orders'")).toBe(true);
    expect(await index("'orders'")).toBe(false);
    expect(await ask()).toEqual(before);
    await startAll("orders", [{ order: 1, late: true }]);
    expect(await found({ name: "orders", input: { order: 1 } })).toHaveLength(2);
    expect(await index("'orders', false")).toBe(true);
    expect(await index("'orders', indexed => false")).toBe(false);
    expect(await found({ name: "orders", input: { order: 1 } })).toHaveLength(2);
    expect(await database.query("select * from queue.check_invariants()")).toEqual([]);
  });

  it("can be there before the first run, and is only its workflow's", async () => {
    expect(await index("'to-come'")).toBe(true);
    await startAll("to-come", [{ order: 9 }]);
    expect(await found({ name: "to-come", input: { order: 9 } })).toEqual([{ order: 9 }]);
    const indexes = await database.query(
      "select indexdef from pg_indexes where indexname like 'workflow_run_input_%'",
    );
    expect(indexes).toEqual([
      { indexdef: expect.stringContaining("WHERE (workflow_name = 'to-come'::text)") },
    ]);
  });

  it("doesn't wait long for writers of runs", async () => {
    await startAll("busy", [null]);
    const writer = await database.connect();
    await writer.query("begin; select queue.workflow_start('busy')");
    await expect(index("'busy'")).rejects.toMatchObject({
      code: "OX009",
      message: expect.stringContaining("2 seconds"),
    });
    await writer.query("commit");
    expect(await index("'busy'")).toBe(true);
  });

  it("of what can't be a workflow is refused", async () => {
    await expect(index("'No Name'")).rejects.toMatchObject({ code: "OX003" });
  });
});
