import { readdirSync, readFileSync } from "node:fs";
import { expect, it } from "vitest";

const read = (path: string): string => readFileSync(new URL(path, import.meta.url), "utf8");

/** Words in the style of codes that aren't codes of problems. */
const OTHERS = new Set(["EXPRESSION_FAILED", "TRUE", "FALSE"]);

function codesIn(folder: string): readonly string[] {
  const files = readdirSync(new URL(folder, import.meta.url)).filter(
    (file) => file.endsWith(".ts") && !file.endsWith(".test.ts"),
  );
  const sources = files.map((file) => read(`${folder}/${file}`)).join("\n");
  return [...sources.matchAll(/"([A-Z][A-Z_]{3,})"/g)].map(([, code = ""]) => code);
}

it("the page on problems lists exactly the codes that the checker uses", () => {
  const folders = ["../document", "../expression", "../types", "../check"];
  const used = new Set(folders.flatMap(codesIn).filter((code) => !OTHERS.has(code)));
  const page = read("../../../docs/declared/problems.md");
  const listed = new Set([...page.matchAll(/`([A-Z][A-Z_]{3,})`/g)].map(([, code = ""]) => code));
  expect([...used].filter((code) => !listed.has(code))).toEqual([]);
  expect([...listed].filter((code) => !used.has(code))).toEqual([]);
});
