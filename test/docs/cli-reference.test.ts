import { readFileSync } from "node:fs";
import { expect, it } from "vitest";
import { cliReference } from "../../docs/generate-cli-reference.ts";

it("the CLI reference lists the commands of the help", () => {
  const page = readFileSync(new URL("../../docs/reference/cli.md", import.meta.url), "utf8");
  expect(page).toBe(cliReference());
});
