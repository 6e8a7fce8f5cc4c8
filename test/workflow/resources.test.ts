/** Resources and references by the client, straight to the database and through a server. */
import { createWorkflowClient, InvalidArgument, InvalidName } from "@oxbow/sdk";
import { InvalidDefinition, ResourceInUse, ResourceNotFound } from "@oxbow/declared/client";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { createResources, documentNaming, newResourceType, POINTER } from "../helpers/resources.ts";
import { isThroughServer } from "../helpers/transport.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const client = createWorkflowClient({ url: bench.url });
atFileEnd(() => client.close());

async function published(type: string, id: string): Promise<string> {
  const document = documentNaming(type, id);
  const revision = await definitionsOf(client).create({ ...document });
  await definitionsOf(client).publish(document.name, revision, { unchecked: true });
  return document.name;
}

describe("references of definitions", () => {
  it("lists what names a resource, and asserts that nothing does", async () => {
    const type = newResourceType();
    expect(await definitionsOf(client).references.to(type, "a/b ü")).toEqual([]);
    expect(await definitionsOf(client).references.assertNone(type, "a/b ü")).toBe(0);
    const name = await published(type, "a/b ü");
    const place = { ownerType: "definition", ownerId: name, title: "Page", pointer: POINTER };
    expect(await definitionsOf(client).references.to(type, "a/b ü")).toEqual([
      { ...place, version: 1, state: "published", protects: true },
      { ...place, version: null, state: "draft", protects: false },
    ]);
    const refused = await definitionsOf(client)
      .references.assertNone(type, "a/b ü")
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ResourceInUse);
    expect(refused).toMatchObject({
      code: "RESOURCE_IN_USE",
      message: expect.stringContaining(`is used by definition "${name}"`) as string,
      facts: { owners: [{ ownerType: "definition", ownerId: name, version: 1 }] },
    });
  });

  it("sets those of an object of the application", async () => {
    const type = newResourceType();
    const holder = { type: "policy", id: `17/${type}`, title: "On call" };
    expect(
      await definitionsOf(client).references.set(holder, [{ type, id: "a", pointer: "/when" }]),
    ).toBe(true);
    expect(
      await definitionsOf(client).references.set(holder, [{ type, id: "a", pointer: "/when" }]),
    ).toBe(false);
    expect(await definitionsOf(client).references.to(type, "a")).toMatchObject([
      { ownerType: "policy", ownerId: holder.id, title: "On call", state: "current" },
    ]);
    expect(await definitionsOf(client).references.set(holder, [])).toBe(true);
    expect(await definitionsOf(client).references.to(type, "a")).toEqual([]);
  });

  it("refuses what is no name, and the references of definitions", async () => {
    await expect(definitionsOf(client).references.to("", "a")).rejects.toBeInstanceOf(InvalidName);
    await expect(
      definitionsOf(client).references.assertNone("T", "x".repeat(257)),
    ).rejects.toBeInstanceOf(InvalidName);
    await expect(
      definitionsOf(client).references.set({ type: "definition", id: "d" }, []),
    ).rejects.toThrow("are those of its document");
    const misspelt = { type: "T", id: "a", pionter: "" } as never;
    await expect(
      definitionsOf(client).references.set({ type: "policy", id: "1" }, [misspelt]),
    ).rejects.toBeInstanceOf(InvalidArgument);
  });
});

describe("resources of definitions", () => {
  it.runIf(!isThroughServer)("protects a table, in a transaction of the caller", async () => {
    const { type, table } = await createResources(bench.database, ["major"]);
    const session = await bench.database.connect();
    await session.query("begin");
    expect(await definitionsOf(client).resources.protect(type, { table, tx: session })).toBe(true);
    await session.query("rollback");
    expect(await definitionsOf(client).resources.protect(type, { table })).toBe(true);
    expect(await definitionsOf(client).resources.protect(type, { table, id: "id" })).toBe(false);
    expect(
      (await definitionsOf(client).resources.types()).find(({ name }) => name === type),
    ).toEqual({
      name: type,
      title: null,
      isListed: false,
      schema: null,
      pool: "default",
      tableName: null,
      idColumn: null,
      protectedTable: table,
      protectedColumn: "id",
      registeredAt: null,
    });
    await published(type, "major");
    await expect(bench.database.query(`delete from ${table}`)).rejects.toMatchObject({
      code: "OX026",
    });
    const gone = published(type, "gone");
    await expect(gone).rejects.toBeInstanceOf(InvalidDefinition);
    await expect(gone).rejects.toMatchObject({
      facts: { problems: [{ code: "UNKNOWN_RESOURCE", pointer: POINTER }] },
    });
    await expect(
      definitionsOf(client).references.set({ type: "policy", id: type }, [{ type, id: "gone" }]),
    ).rejects.toBeInstanceOf(ResourceNotFound);
    expect(await definitionsOf(client).resources.unprotect(type)).toBe(true);
    expect(await definitionsOf(client).resources.unprotect(type)).toBe(false);
  });

  it.runIf(isThroughServer)("leaves the protection of a table to its owner", async () => {
    await expect(definitionsOf(client).resources.protect("T", { table: "t" })).rejects.toThrow(
      "The owner of a table protects it",
    );
    await expect(definitionsOf(client).resources.unprotect("T")).rejects.toBeInstanceOf(
      InvalidArgument,
    );
    expect(Array.isArray(await definitionsOf(client).resources.types())).toBe(true);
  });
});
