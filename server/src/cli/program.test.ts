import type { Command } from "commander";
import { readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { EXIT } from "./exit-codes.ts";
import { makeProgram } from "./program.ts";

const page = readFileSync(new URL("../../../docs/reference/cli.md", import.meta.url), "utf8");

/** `runs list` and the like, each with its options. */
function commandsOf(parent: Command, path: readonly string[] = []): [string, string[]][] {
  return parent.commands.flatMap((command) => {
    const name = [...path, command.name()];
    if (command.commands.length > 0) return commandsOf(command, name);
    const options = command.options.flatMap(({ long }) => (long === null ? [] : [long ?? ""]));
    return [[name.join(" "), options]] satisfies [string, string[]][];
  });
}

describe("the page of the command", () => {
  it.each(commandsOf(makeProgram()))("has `oxbow %s` and its options", (name, options) => {
    expect(page).toMatch(new RegExp(`\`${name}[ \`]`));
    expect(options.filter((option) => !page.includes(option))).toEqual([]);
  });

  it("has every exit code", () => {
    for (const code of Object.values(EXIT))
      expect(page).toMatch(new RegExp(`^\\| ${code} \\|`, "m"));
  });
});
