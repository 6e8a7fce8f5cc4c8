/** Definitions by the client, straight to the database and through a server. */
import { definitionTools } from "@oxbow/declared";
import {
  DefinitionInactive,
  DefinitionInUse,
  DefinitionNotFound,
  InvalidDefinition,
  RevisionConflict,
} from "@oxbow/declared/client";
import { createWorkflowClient, InvalidArgument, NameTaken } from "@oxbow/sdk";
import { describe, expect, it } from "vitest";
import { createCheckedClient, definitionsOf } from "../helpers/checked-clients.ts";
import { documentOf as plainDocument, newDefinitionName } from "../helpers/definitions.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { isThroughServer } from "../helpers/transport.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const client = createCheckedClient({ url: bench.url, tools: definitionTools() });
const definitions = definitionsOf(client);
atFileEnd(() => client.close());

const documentOf = (name: string, output: unknown = 1) => ({ ...plainDocument(name, output) });

const published = async (name = newDefinitionName(), output: unknown = 1): Promise<string> => {
  const revision = await definitions.create(documentOf(name, output));
  await definitions.publish(name, revision);
  return name;
};

describe("definitionsOf", () => {
  it("creates, saves, publishes and starts a definition", async () => {
    const name = newDefinitionName();
    expect(await definitions.create(name, { folder: "f", scope: { org: 1 } })).toBe(1);
    const { document, revision } = await definitions.draft(name);
    expect(document).toEqual({ format: 1, name, nodes: {} });
    await expect(definitions.save(name as never, revision)).rejects.toThrow(
      `Invalid document "${name}": give an object, which has the name of the definition.`,
    );
    expect(await definitions.save(documentOf(name), revision)).toBe(2);
    expect(await definitions.validate(name)).toEqual([]);
    expect(await definitions.publish(name, 2, { note: "first" })).toEqual({
      version: 1,
      created: true,
    });
    const run = await definitions.start(name, { a: 1 }, { idempotencyKey: "k", tags: { t: 1 } });
    expect(run).toMatchObject({ created: true, initialStatus: "running" });
    expect(await definitions.start(name, { a: 1 }, { idempotencyKey: "k" })).toMatchObject({
      runId: run.runId,
      created: false,
    });
    expect(await bench.client.runs.find(run.runId)).toMatchObject({
      version: 1,
      input: { a: 1 },
      tags: { t: 1 },
    });
    expect(await definitions.get(name)).toMatchObject({
      name,
      folder: "f",
      scope: { org: 1 },
      state: "published",
      hasChanges: false,
      publishedVersion: 1,
      publishedAt: expect.any(Date) as Date,
      pausedAt: null,
    });
    expect(await definitions.versions(name)).toMatchObject([
      { version: 1, state: "published", note: "first", publishedAt: expect.any(Date) as Date },
    ]);
    expect(await definitions.version(name)).toMatchObject({
      version: 1,
      document: documentOf(name),
    });
    expect(await definitions.version(name, 2)).toBeUndefined();
    expect(await bench.violations()).toEqual([]);
  });

  it("lets no client overwrite the save of another one", async () => {
    const name = newDefinitionName();
    await definitions.create(documentOf(name));
    const saves = await Promise.allSettled(
      Array.from({ length: 8 }, (_, who) => definitions.save(documentOf(name, `by ${who}`), 1)),
    );
    expect(saves.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    for (const save of saves) {
      if (save.status === "fulfilled") continue;
      expect(save.reason).toBeInstanceOf(RevisionConflict);
      expect((save.reason as RevisionConflict).revision).toBe(2);
      expect((save.reason as RevisionConflict).savedBy).toEqual(expect.any(String));
    }
    await expect(definitions.publish(name, 1)).rejects.toBeInstanceOf(RevisionConflict);
  });

  it("publishes no errors, and names them", async () => {
    const name = newDefinitionName();
    const broken = { ...documentOf(name), nodes: { bad: { type: "branch@1" } } };
    await definitions.create(broken);
    const refused = definitions.publish(name, 1);
    await expect(refused).rejects.toBeInstanceOf(InvalidDefinition);
    const problems = await refused.then(
      () => [],
      (error: InvalidDefinition) => error.problems,
    );
    expect(problems).toContainEqual(expect.objectContaining({ node: "bad", severity: "error" }));
    expect(await definitions.validate(broken)).toEqual(problems);
  });

  it("compares and restores versions", async () => {
    const name = await published(newDefinitionName(), "first");
    await definitions.save(documentOf(name, "second"), 1);
    const change = {
      kind: "changed",
      node: "done",
      pointer: "/nodes/done/params/output",
      from: "first",
      to: "second",
    };
    expect(await definitions.diff(name)).toEqual([change]);
    await definitions.publish(name, 2);
    expect(await definitions.diff(name, { from: 1, to: 2 })).toEqual([change]);
    expect(await definitions.restore(name, 1, 2)).toBe(3);
    expect((await definitions.draft(name)).document).toEqual(documentOf(name, "first"));
    await expect(definitions.restore(name, 9, 3)).rejects.toBeInstanceOf(DefinitionNotFound);
    await expect(definitions.diff("missing")).rejects.toBeInstanceOf(DefinitionNotFound);
  });

  it("pauses, resumes, archives and deletes", async () => {
    const name = await published();
    const refused = () =>
      expect(definitions.start(name)).rejects.toBeInstanceOf(DefinitionInactive);
    expect(await definitions.pause(name, { reason: "why" })).toBe(true);
    expect(await definitions.pause(name)).toBe(false);
    await refused();
    expect(await definitions.resume(name)).toBe(true);
    const run = await definitions.start(name);
    expect(await definitions.archive(name)).toBe(true);
    await refused();
    await expect(definitions.delete(name)).rejects.toBeInstanceOf(DefinitionInUse);
    await run.cancel();
    const unused = await published();
    expect(await definitions.delete(unused)).toBe(true);
    expect(await definitions.delete(unused)).toBe(false);
    expect(await definitions.get(unused)).toBeUndefined();
    await expect(definitions.pause("missing")).rejects.toBeInstanceOf(DefinitionNotFound);
  });

  it("exports what is published, and applies it elsewhere", async () => {
    const [one, two] = [await published(), await published()];
    const documents = await definitions.export([two, one]);
    expect(documents).toEqual([documentOf(two), documentOf(one)]);
    await expect(definitions.export(["missing"])).rejects.toBeInstanceOf(DefinitionNotFound);
    expect((await definitions.export()).length).toBeGreaterThanOrEqual(2);
    const other = await setupWorkflows();
    const applied = await definitionsOf(other.client).apply(documents, {
      publish: true,
      unchecked: true,
    });
    expect(applied.map(({ name, outcome, version }) => [name, outcome, version])).toEqual(
      [one, two].toSorted().map((name) => [name, "created", 1]),
    );
    expect(await definitionsOf(other.client).export()).toEqual(
      [one, two].toSorted().map((name) => documentOf(name)),
    );
  });

  it("lists pages of definitions", async () => {
    const other = await setupWorkflows();
    for (const name of ["a", "b", "c"]) await definitionsOf(other.client).create(name);
    const names = async (filter: Parameters<typeof definitions.list>[0]) =>
      (await definitionsOf(other.client).list(filter)).map(({ name }) => name);
    expect(await names({ limit: 2 })).toEqual(["a", "b"]);
    expect(await names({ after: "b" })).toEqual(["c"]);
    expect(await names({ state: "published" })).toEqual([]);
    expect(await names({ search: "B" })).toEqual(["b"]);
    await expect(names({ limit: 0 })).rejects.toBeInstanceOf(InvalidArgument);
  });

  it("keeps layouts apart, and settings next to the document", async () => {
    const name = await published();
    await definitions.move(name, { nodes: { done: [1, 2] } });
    expect(await definitions.draft(name)).toMatchObject({
      revision: 1,
      layout: { nodes: { done: [1, 2] } },
    });
    expect(await definitions.configure(name, { folder: "x", isProtected: true })).toBe(true);
    expect(await definitions.configure(name, { folder: null })).toBe(true);
    expect(await definitions.get(name)).toMatchObject({ folder: null, isProtected: true });
  });

  it("shares names with workflows in code", async () => {
    await bench.client.start("in-code");
    await expect(definitions.create("in-code")).rejects.toBeInstanceOf(NameTaken);
  });

  it.runIf(!isThroughServer)("takes part in a transaction of the caller", async () => {
    const name = newDefinitionName();
    const session = await bench.database.connect();
    await session.query("begin");
    await definitions.create(documentOf(name), { tx: session });
    expect(await definitions.publish(name, 1, { tx: session })).toMatchObject({ version: 1 });
    await session.query("rollback");
    expect(await definitions.get(name)).toBeUndefined();
  });

  it.each(["", "\u00E9", "a\n", "x".repeat(201)])("names no actor like %j", (actor) => {
    expect(() => createWorkflowClient({ url: bench.url, actor })).toThrow(/Invalid actor/);
  });

  it.runIf(!isThroughServer)(
    "names its actor, and needs a checker for what needs one",
    async () => {
      const name = newDefinitionName();
      await using anna = createWorkflowClient({ url: bench.url, actor: "anna@example.org" });
      await definitionsOf(anna).create(documentOf(name));
      expect(await definitionsOf(anna).draft(name)).toMatchObject({
        savedBy: "anna@example.org",
      });
      await expect(definitionsOf(anna).validate(name)).rejects.toThrow(/tools: definitionTools/);
      await expect(definitionsOf(anna).diff(name)).rejects.toThrow(/tools: definitionTools/);
      for (const refused of [
        definitionsOf(anna).publish(name, 1),
        definitionsOf(anna).apply([documentOf(name)], { publish: true }),
      ]) {
        await expect(refused).rejects.toThrow(/pass tools: definitionTools.* or unchecked: true/);
      }
      expect(await definitionsOf(anna).get(name)).toMatchObject({ publishedVersion: null });
      const faulty = {
        ...documentOf(name),
        nodes: { one: { type: "task@1" }, two: { type: "task@1" } },
        edges: [{ from: "one", to: "two", condition: "true" }],
      };
      expect(await definitionsOf(anna).save(faulty, 1)).toBe(2);
      await expect(definitions.publish(name, 2)).rejects.toBeInstanceOf(InvalidDefinition);
      const unchecked = { unchecked: true };
      expect(await definitionsOf(anna).publish(name, 2, unchecked)).toMatchObject({ version: 1 });
    },
  );
});
