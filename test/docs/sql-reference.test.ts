import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sqlReference } from "../../docs/generate-sql-reference.ts";

it("the SQL reference is what `make docs` makes of the comments", () => {
  const page = readFileSync(new URL("../../docs/reference/sql.md", import.meta.url), "utf8");
  expect(page).toBe(sqlReference());
});
