import { expect, it } from "vitest";
import { documents, oxbowOf } from "../helpers/command.ts";
import { createDatabase } from "../helpers/database.ts";
import { publishedDefinition } from "../helpers/definitions.ts";
import { createResources, documentNaming } from "../helpers/resources.ts";

const database = await createDatabase();
const run = oxbowOf(database.url);

it("oxbow resources protects a table, and oxbow references lists what names its rows", async () => {
  const { type, table } = await createResources(database, ["major"]);
  expect(await run("resources", "protect", type, table)).toMatchObject({ code: 0 });
  const again = await run("resources", "protect", type, table, "id", "--json");
  expect(documents(again)).toEqual([{ changed: false }]);
  expect((await run("resources", "list")).stdout).toMatch(
    new RegExp(`^TYPE +POOL +PROTECTED\n${type} +default +public."severity \\w+" \\(id\\)`),
  );
  const name = await publishedDefinition(database, documentNaming(type, "major"));
  const listed = await run("references", type, "major");
  expect(listed.stdout).toMatch(
    new RegExp(
      `^OWNER .*\ndefinition ${name} +1 +published +yes .*\ndefinition ${name} +draft +no`,
    ),
  );
  expect(documents(await run("references", type, "major", "--json"))).toMatchObject([
    { ownerId: name, protects: true },
    { ownerId: name, protects: false },
  ]);
  const none = await run("references", type, "minor");
  expect(none).toMatchObject({ code: 0, stdout: "" });
  expect(none.stderr).toContain(`Nothing names ${type} "minor"`);
  expect(await run("resources", "unprotect", type)).toMatchObject({ code: 0 });
  expect((await run("resources", "protect", type, "no_such_table")).code).not.toBe(0);
});
