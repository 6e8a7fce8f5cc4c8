/** Facts that the text of the functions has in one place, so that a change of one is a change of that place. */
import { readdirSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";

const SOURCE = fileURLToPath(new URL("../../extension-sql/src", import.meta.url));

/** The files beneath extension-sql/src that match a pattern, once a match, without comments. */
function matches(pattern: RegExp): string[] {
  return readdirSync(SOURCE, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sql"))
    .toSorted()
    .flatMap((path) => {
      const code = readFileSync(`${SOURCE}/${path}`, "utf8").replaceAll(
        /--[^\n]*|^comment on [^]*/gm,
        "",
      );
      return [...code.matchAll(pattern)].map(() => path);
    });
}

it("only the room of copies decides whether a database is at home", () => {
  const evidence = /\b(is_untouched|is_same_database|is_other_timeline|guarded_timeline)\b/g;
  expect(matches(evidence)).not.toEqual([]);
  expect(matches(evidence).filter((path) => !path.startsWith("fork/"))).toEqual([]);
});
