/** Values that are nested too deeply, from nodes and people: they fail their node, or are refused. */
import { defineNode } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { describe, expect, it } from "vitest";
import { definitionsOf } from "../helpers/checked-clients.ts";
import { newDefinitionName } from "../helpers/definitions.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { serveDefinitions } from "../helpers/served-definitions.ts";

const RESULT = { timeout: "60s" } as const;

const deep = (levels = 100_000): unknown =>
  JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`) as unknown;

const returning = (type: string, levels: number) =>
  defineNode({
    type,
    params: { type: "object" },
    effects: "reads",
    run: () => deep(levels) as never,
  });

const { client } = await serveDefinitions({
  nodes: [returning("deep.far", 100_000), returning("deep.near", 1_001)],
  knowsTypes: true,
});

async function start(
  nodes: Document["nodes"],
  more: Partial<Document> = {},
  input: unknown = null,
) {
  const name = newDefinitionName();
  const document = { format: 1, name, nodes, ...more } as const;
  const revision = await definitionsOf(client()).create(document);
  await definitionsOf(client()).publish(name, revision);
  return definitionsOf(client()).start(name, input);
}

describe("a value that is nested too deeply", () => {
  it.each([
    ["a node", { type: "deep.far@1", params: {} }],
    ["a node, just beyond what is kept", { type: "deep.near@1", params: {} }],
    [
      "code of an author",
      {
        type: "js@1",
        params: {
          code: "let v = []; for (let i = 0; i < 5e3; i++) v = [v]; return v;",
          // Time by the clock, which a busy machine needs: a second is the default.
          time: "10s",
        },
      },
    ],
  ])("fails its node if %s returns it, which an edge may catch", async (_of, node) => {
    const run = await start(
      {
        make: node,
        caught: { type: "end@1", params: { output: { $path: "nodes.make.error.message" } } },
      },
      { edges: [{ from: "make", on: "error", to: "caught" }] },
    );
    expect(await run.result(RESULT)).toMatch(/deep/);
  });

  it.each(["straight", "remote"])("is no condition of runs, %s", async (way) => {
    const { runs } = client(way);
    const filter = { input: { a: deep() } as never };
    const refused = { code: "SERIALIZATION_FAILED" };
    await expect(runs.list(filter).next()).rejects.toMatchObject(refused);
    await expect(runs.count(filter)).rejects.toMatchObject(refused);
  });

  it("is no decision of an approval", async () => {
    const run = await start({
      ask: { type: "approve@1", params: { title: "Ship?", form: { type: "object" } } },
    });
    const [approval] = await eventually(async () => {
      for await (const { approvals } of client().approvals.list({ runId: run.runId })) {
        return approvals;
      }
      return [];
    }, isNotEmpty);
    const decide = (way: string, values: object): Promise<unknown> =>
      client(way).approvals.decide(approval?.id ?? "", "approved", {
        actor: "ada",
        values: values as never,
      });
    for (const way of ["straight", "remote"]) {
      await expect(decide(way, { a: deep() })).rejects.toMatchObject({
        code: "SERIALIZATION_FAILED",
      });
    }
    await decide("straight", { a: 1 });
    await run.result(RESULT);
  });
});
