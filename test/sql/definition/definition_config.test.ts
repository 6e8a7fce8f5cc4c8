import { describe, expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import {
  codeOf,
  createDefinition,
  documentOf,
  newDefinitionName,
  publishDefinition,
} from "../../helpers/definitions.ts";
import { only } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";

const database = await createDatabase();

const set = async (name: string, value: unknown): Promise<unknown> =>
  only(
    await database.query("select queue.definition_config_set($1, $2) as changed", [
      name,
      JSON.stringify(value),
    ]),
  )["changed"];

const remove = (name: string) =>
  database.query("select queue.definition_config_delete($1) as deleted", [name]);

const listed = (name: string) =>
  database.query("select * from queue.definition_config_list() where name = $1", [name]);

describe("config", () => {
  it("is set, listed with its author, and deleted", async () => {
    expect(await set("slack.channel", "#ops")).toBe(true);
    expect(await set("slack.channel", "#ops")).toBe(false);
    expect(await set("slack.channel", null)).toBe(true);
    expect(await listed("slack.channel")).toEqual([
      {
        name: "slack.channel",
        value: null,
        changed_at: expect.any(Date) as Date,
        changed_by: expect.any(String) as string,
      },
    ]);
    expect(await remove("slack.channel")).toEqual([{ deleted: true }]);
    expect(await remove("slack.channel")).toEqual([{ deleted: false }]);
    const audited = await database.query(
      "select action, outcome, detail from queue.audit_list(subject => 'slack.channel')",
    );
    expect(audited.map(({ action, outcome }) => `${String(action)} ${String(outcome)}`)).toEqual([
      "config.delete unchanged",
      "config.delete changed",
      "config.set changed",
      "config.set unchanged",
      "config.set changed",
    ]);
    expect(JSON.stringify(audited)).not.toContain("#ops");
  });

  it("refuses invalid names, no value and large values", async () => {
    expect(await codeOf(set("", 1))).toBe("OX004");
    expect(await codeOf(set("x".repeat(257), 1))).toBe("OX004");
    expect(await codeOf(database.query("select queue.definition_config_set('a', null)"))).toBe(
      "OX004",
    );
    expect(await codeOf(set("large", "x".repeat(65_536)))).toBe("OX008");
  });

  it("keeps what a published version names", async () => {
    const name = newDefinitionName();
    const value = `value of ${name}`;
    await set(value, 1);
    await createDefinition(database, documentOf(name));
    await publishDefinition(database, name, 1, { compiled: { references: { configs: [value] } } });
    await expect(remove(value)).rejects.toMatchObject({
      code: "OX026",
      message: expect.stringContaining(name) as string,
    });
    await database.query("select queue.definition_archive($1)", [name]);
    expect(await remove(value)).toEqual([{ deleted: true }]);
  });

  it("is listed by name", async () => {
    await set("named.one", 1);
    await set("named.two", 2);
    const named = (names: readonly string[]) =>
      database.query("select name, value from queue.definition_config_list($1)", [names]);
    expect(await named(["named.two", "named.none"])).toEqual([{ name: "named.two", value: 2 }]);
    expect(await named([])).toEqual([]);
  });

  it("is for administrators to set, and for others to read", async () => {
    for (const role of ["oxbow_publisher", "oxbow_worker"]) {
      const session = await openSession(database);
      await session.query(`set role ${role}`);
      await session.query("select * from queue.definition_config_list()");
      expect(await codeOf(session.query("select queue.definition_config_set('a', '1')"))).toBe(
        "42501",
      );
      expect(await codeOf(session.query("select queue.definition_config_delete('a')"))).toBe(
        "42501",
      );
    }
  });
});
