/** Policies of an application: conditions that it saves with their references. */
import { compileCondition, defineResource } from "@oxbow/declared";
import { ResourceInUse } from "@oxbow/declared/client";
import { expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newResourceType } from "../helpers/resources.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

it("keep the resources that they name from being deleted, until they name others", async () => {
  const { client, database } = await setupWorkflows();
  const type = newResourceType();
  const severity = defineResource({
    type,
    schema: { type: "object", required: ["rank"], properties: { rank: { type: "integer" } } },
    get: async (ids) => {
      const rows = await database.query<{ id: string; rank: number }>(
        "select id, rank from severity where id = any ($1)",
        [ids],
      );
      return Object.fromEntries(rows.map(({ id, rank }) => [id, { rank }]));
    },
  });
  await database.query("create table severity (id text primary key, rank integer not null)");
  await database.query("create table policy (id text primary key, condition text not null)");
  await database.query("insert into severity values ('minor', 1), ('major', 3)");
  await definitionsOf(client).resources.protect(type, { table: "severity", id: "id" });

  const save = async (id: string): Promise<void> => {
    const text = `rank >= resource('${type}', '${id}').rank`;
    const options = { scope: { rank: { type: "integer" } }, resources: [severity] } as const;
    const { references } = compileCondition(text, options);
    const session = await database.connect();
    await session.query("begin");
    await session.query(
      "insert into policy values ('17', $1) on conflict (id) do update set condition = excluded.condition",
      [text],
    );
    await definitionsOf(client).references.set({ type: "policy", id: "17" }, references, {
      tx: session,
    });
    await session.query("commit");
    const [row] = await database.query<{ condition: string }>("select condition from policy");
    const saved = compileCondition(row?.condition ?? "", options);
    expect([await saved.evaluate({ rank: 2 }), await saved.evaluate({ rank: 4 })]).toEqual([
      id === "minor",
      true,
    ]);
  };
  const remove = (id: string): Promise<unknown> =>
    database.query("delete from severity where id = $1", [id]);

  await save("major");
  await expect(remove("major")).rejects.toMatchObject({ code: "OX026" });
  await expect(definitionsOf(client).references.assertNone(type, "major")).rejects.toBeInstanceOf(
    ResourceInUse,
  );
  expect(await definitionsOf(client).references.to(type, "major")).toMatchObject([
    { ownerType: "policy", ownerId: "17" },
  ]);
  await save("minor");
  await remove("major");
  await expect(remove("minor")).rejects.toMatchObject({ code: "OX026" });
});
