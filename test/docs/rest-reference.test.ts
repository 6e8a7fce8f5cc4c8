import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { restReference } from "../../docs/generate-rest-reference.ts";

it("the REST reference is the output of `make docs`", async () => {
  const page = readFileSync(new URL("../../docs/reference/rest.md", import.meta.url), "utf8");
  expect(page).toBe(await restReference());
});
