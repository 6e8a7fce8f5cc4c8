/**
 * Guards in the text of the functions: conditions on which they raise. SQL has a third truth value, and `if` takes it for
 * false, so a comparison with null would let its caller pass.
 */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../extension-sql/src", import.meta.url));

/** Parts of conditions that are never null. Parentheses with their contents are `[]` here. */
const NEVER_NULL = [
  /^(not )?found$/,
  /^(not )?exists \[\]$/,
  /^num_(non)?nulls\[\] /,
  / is (not )?(null|true|false)$/,
  / is (not )?distinct from /,
];

function guardsIn(folder: string): string[] {
  return readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .flatMap((file) =>
      guardsOf(readFileSync(`${folder}/${file}`, "utf8")).map(
        (condition) => `${file}: ${condition}`,
      ),
    );
}

/** The conditions after which the next statement raises, without literals and comments. */
function guardsOf(text: string): string[] {
  const body = /\$function\$(.*)\$function\$/s.exec(text)?.[1] ?? "";
  const code = body
    .replaceAll(/--.*|'(?:[^']|'')*'/g, (found) => (found.startsWith("'") ? "''" : ""))
    .replaceAll(/\s+/g, " ");
  return [...code.matchAll(/(?<!end )\b(?:if|elsif) /g)].flatMap(({ 0: word, index }) => {
    const rest = code.slice(index + word.length);
    const end = endOfCondition(rest);
    return /^then (perform queue\._(raise|refuse)|raise\b)/.test(rest.slice(end))
      ? [rest.slice(0, end).trim()]
      : [];
  });
}

/** Where its `then` is: one of a `case` in the condition comes before the `end` of that. */
function endOfCondition(code: string): number {
  let depth = 0;
  for (const { 0: word, index } of code.matchAll(/\b(?:case|end|then)\b/g)) {
    if (word === "then" && depth === 0) return index;
    if (word !== "then") depth += word === "case" ? 1 : -1;
  }
  return code.length;
}

function isNeverNull(condition: string): boolean {
  let flat = condition;
  while (flat.includes("(")) flat = flat.replaceAll(/\([^()]*\)/g, "[]");
  return flat
    .split(/ (?:or|and) /)
    .every((part) => NEVER_NULL.some((pattern) => pattern.test(part)));
}

it("guards are never null", () => {
  const found = guardsIn(SOURCE);
  expect(found.length).toBeGreaterThan(250);
  const guarded = found.filter((guard) => !isNeverNull(guard.slice(guard.indexOf(": ") + 2)));
  expect(guarded).toEqual([]);
});
