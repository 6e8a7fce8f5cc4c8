import { toJournal } from "@oxbow/sdk/internal/server";
import fc from "fast-check";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";

/** Values a statement, and statements. */
const BATCH = 50;
const BATCHES = 20;

const isStorable = (value: unknown): boolean => {
  try {
    toJournal(value, "the test");
    return true;
  } catch {
    return false;
  }
};

it("what a body sees in its first run is what Postgres gives it on a replay, key by key", async () => {
  const database = await createDatabase({ empty: true });
  const values = fc.oneof(
    fc.jsonValue(),
    fc.dictionary(fc.string({ unit: "binary" }), fc.double()),
  );
  const batch = fc.array(values.filter(isStorable), { minLength: BATCH, maxLength: BATCH });
  await fc.assert(
    fc.asyncProperty(batch, async (list) => {
      const forms = list.map((value) => toJournal(value, "the test"));
      const rows = await database.query<{ stored: unknown }>(
        "select v as stored from unnest($1::jsonb[]) with ordinality as u (v, n) order by n",
        [forms.map(({ text }) => text)],
      );
      // As text, because equality of objects doesn't look at the order of their keys.
      expect(rows.map(({ stored }) => JSON.stringify(stored))).toEqual(
        forms.map(({ value }) => JSON.stringify(value)),
      );
    }),
    { numRuns: BATCHES },
  );
});
