import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { generatedCalls } from "../../extension-sql/seam/calls.ts";

it("the calls of the SDK are what `npm run build:seam` makes of the SQL sources", async () => {
  for (const [path, text] of await generatedCalls()) {
    expect({ path, text: readFileSync(path, "utf8") }).toEqual({ path, text });
  }
});
