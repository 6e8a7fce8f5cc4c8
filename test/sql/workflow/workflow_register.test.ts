import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";

const database = await createDatabase();

/** @param schema JSON text; null without a schema; undefined as workers of an earlier release register. */
async function register(name: string, schema?: string | null, version = 1): Promise<unknown> {
  const [row] = await (schema === undefined
    ? database.query("select queue.workflow_register(array[$1], array[$2::integer]) as changed", [
        name,
        version,
      ])
    : database.query(
        `select queue.workflow_register(array[$1], array[$2::integer], input_schemas => array[$3::json]) as changed`,
        [name, version, schema],
      ));
  return row?.["changed"];
}

/** As text, by version. */
const schemasOf = async (name: string): Promise<Record<string, unknown>> =>
  Object.fromEntries(
    (
      await database.query(
        "select version, input_schema::text as schema from queue.workflow_versions($1)",
        [name],
      )
    ).map(({ version, schema }) => [String(version), schema]),
  );

describe("the input schemas of workflow_register", () => {
  it("stay with their version, as they were written", async () => {
    const schema = '{"type":"object","properties":{"zip":{},"at":{"title":"\\u0000"}}}';
    expect(await register("written", schema, 1)).toBe(1);
    expect(await register("written", null, 2)).toBe(1);
    expect(await schemasOf("written")).toEqual({ 1: schema, 2: null });
  });

  it("are not written again as long as they are the same", async () => {
    expect(await register("same", '{"type":"object"}')).toBe(1);
    expect(await register("same", '{"type":"object"}')).toBe(0);
    expect(await register("same", '{"type":"object","title":"New"}')).toBe(1);
    expect(await schemasOf("same")).toEqual({ 1: '{"type":"object","title":"New"}' });
  });

  it("outlive a registration without one, also one that changes something else", async () => {
    await register("kept", '{"type":"object"}');
    expect(await register("kept")).toBe(0);
    expect(await register("kept", null)).toBe(0);
    await database.query("select queue.workflow_register('{kept}', '{1}', '{9}')");
    expect(await schemasOf("kept")).toEqual({ 1: '{"type":"object"}' });
    const [row] = await database.query("select * from queue.workflow_versions('kept')");
    expect(row).toMatchObject({ retention_days: 9 });
  });

  it("go with an unregistered version", async () => {
    await register("gone", '{"type":"object"}');
    await database.query("select queue.workflow_unregister('gone', 1)");
    await register("gone");
    expect(await schemasOf("gone")).toEqual({ 1: null });
  });

  it.each([
    { what: "no object", schema: "true" },
    { what: "more than 65536 bytes", schema: JSON.stringify({ title: "x".repeat(65_536) }) },
  ])("are refused with $what, and nothing is written", async ({ schema }) => {
    await expect(register("refused", schema)).rejects.toMatchObject({
      code: "OX004",
      message:
        'invalid input schema of workflow "refused": it is a JSON object of at most 65536 bytes',
    });
    expect(await schemasOf("refused")).toEqual({});
  });

  it("may have exactly 65536 bytes", async () => {
    const title = "x".repeat(65_536 - '{"title":""}'.length);
    expect(await register("largest", JSON.stringify({ title }))).toBe(1);
  });
});

describe("workflow_tools", () => {
  const toolsOf = async (): Promise<unknown[]> =>
    database.query("select workflow, version from queue.workflow_tools()");

  it("lists the latest version of the workflows whose schema is marked", async () => {
    const marked = '{"type":"object","x-oxbow-tool":{}}';
    await register("offered", '{"type":"object"}', 1);
    await register("offered", marked, 2);
    await register("offered-once", marked, 1);
    await register("offered-once", '{"type":"object"}', 2);
    await register("not-offered", null);
    await register("odd", '{"title":"\\u0000"}');
    expect(await toolsOf()).toEqual([{ workflow: "offered", version: 2 }]);
    await register("offered", '{"type":"object"}', 2);
    expect(await toolsOf()).toEqual([]);
  });
});
