import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generatedFiles } from "../../extension-sql/seam/files.ts";
import { readSources } from "../../extension-sql/seam/source.ts";
import { createDatabase } from "../helpers/database.ts";

it("the generated files are what `npm run build:seam` makes of the SQL sources", async () => {
  for (const [path, text] of await generatedFiles()) {
    expect({ path, text: readFileSync(path, "utf8") }).toEqual({ path, text });
  }
});

const database = await createDatabase();

/** Types whose rows are rows of a table, and the columns in which null is replaced, or excluded by a condition. */
const ROWS_OF_TABLES = [
  { type: "workflow_state", table: "workflow_run", replaced: ["retried", "generation", "is_item"] },
  { type: "workflow_summary", table: "workflow_run", replaced: [] },
  { type: "workflow_child", table: "workflow_run", replaced: ["parent_step", "is_detached"] },
  { type: "workflow_delivery", table: "workflow_run", replaced: ["retried", "generation"] },
  { type: "workflow_journal_entry", table: "workflow_step", replaced: [] },
  { type: "registered_version", table: "workflow_version", replaced: [] },
  { type: "subscription_info", table: "subscription", replaced: [] },
  { type: "schedule_info", table: "schedule", replaced: [] },
  { type: "queue_settings", table: "queue", replaced: [] },
  { type: "captured_message", table: "captured_delivery", replaced: [] },
  { type: "incarnation_info", table: "own_incarnation", replaced: [] },
];

it.each(ROWS_OF_TABLES)(
  "a column of $type may be null if it may be in $table",
  async ({ type, table, replaced }) => {
    const rows = await database.query<{ name: string }>(
      `select attname as name from pg_attribute
       where attrelid = 'queue.${table}'::regclass and attnum > 0 and not attisdropped and not attnotnull`,
    );
    const nullable = new Set(rows.map(({ name }) => name));
    const wrong = (readSources().columns(type) ?? [])
      .filter(({ name, isNullable }) => nullable.has(name) && !isNullable)
      .map(({ name }) => name);
    expect(wrong).toEqual(replaced);
  },
);
