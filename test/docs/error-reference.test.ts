import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { OxbowError } from "@oxbow/sdk";
import { ERROR_CATALOGUE, SQL_ONLY_ERRORS } from "@oxbow/sdk/internal/server";
import { expect, it } from "vitest";
import { ERROR_TEXTS, SQL_ONLY_TEXTS } from "../../docs/error-texts.ts";
import { errorReference } from "../../docs/generate-error-reference.ts";
import type { ErrorCode } from "../../sdk/src/core/error-catalogue.ts";
import { EXIT } from "../../server/src/cli/exit-codes.ts";
import { ROOT } from "./pages.ts";

const read = (path: string): string => readFileSync(join(ROOT, path), "utf8");

/** SQLSTATE and title of every error that SQL functions raise. */
const raised = new Map([
  ...Object.entries(ERROR_CATALOGUE).flatMap(([code, { sqlstate }]) =>
    sqlstate === undefined ? [] : [[sqlstate, ERROR_TEXTS[code as ErrorCode].title] as const],
  ),
  ...Object.entries(SQL_ONLY_TEXTS).map(([sqlstate, { title }]) => [sqlstate, title] as const),
]);

it("the error reference is the output of `make docs`", () => {
  expect(read("docs/reference/errors.md")).toBe(errorReference());
});

it("the catalogue has every error class that the packages export, and no other", async () => {
  const client = await import("@oxbow/sdk");
  const runtime = await import("@oxbow/sdk/runtime");
  const declared = await import("@oxbow/declared/client");
  const classes = Object.entries({ ...client, ...runtime, ...declared }).flatMap(([name, value]) =>
    typeof value === "function" && value.prototype instanceof OxbowError ? [name] : [],
  );
  const catalogued = Object.values(ERROR_CATALOGUE).map((entry) => entry.class);
  expect(classes.toSorted()).toEqual(catalogued.toSorted());
});

it("each SQLSTATE without a class has a text", () => {
  expect(Object.keys(SQL_ONLY_TEXTS)).toEqual(Object.keys(SQL_ONLY_ERRORS));
});

it("the comment of queue._raise() lists the SQLSTATEs of the catalogue", () => {
  const comment = read("extension-sql/src/foundation/errors/_raise.sql").split("$comment$")[1];
  const list = /^code: (.*?)\.$/m.exec(comment ?? "")?.[1];
  const expected = [...raised]
    .toSorted(([a], [b]) => a.localeCompare(b))
    .map(([sqlstate, title]) => `${sqlstate} ${title}`);
  expect(list).toBe(expected.join(", "));
});

it("SQL functions raise only SQLSTATEs of the catalogue, and each of them", () => {
  const found = new Set(
    readdirSync(join(ROOT, "extension-sql/src"), { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".sql"))
      .flatMap((path) => read(join("extension-sql/src", path)).match(/'OX\d{3}'/g) ?? [])
      // Ends a subtransaction and is caught in the same function.
      .filter((state) => state !== "'OX000'"),
  );
  expect([...found].toSorted()).toEqual([...raised.keys()].map((state) => `'${state}'`).toSorted());
});

it("the reference of the command line lists every exit code", () => {
  const section = read("docs/reference/cli.md").split("## Exit codes")[1]?.split("\n## ")[0] ?? "";
  const listed = [...section.matchAll(/^\| (\d+) \|/gm)].map(([, code]) => Number(code));
  expect(listed).toEqual(Object.values(EXIT));
});
