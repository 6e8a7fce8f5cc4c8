/** Agents within runs: tools that are steps, and tools that ask people first. */
import {
  approval,
  type ApprovalOptions,
  durableModel,
  durableTools,
  streamDurably,
  txOf,
} from "@oxbow/ai";
import { type ServableWorkflow, workflow, type EventSchemas } from "@oxbow/sdk/runtime";
import { tool, ToolLoopAgent, type ToolSet, type UIMessage } from "ai";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";
import { resultsIn, scripted, text, toolCalls } from "./models.ts";
import { messageOf, readAll } from "./reader.ts";

const bench = await setupWorkflows();

const messages: UIMessage[] = [{ id: "q", role: "user", parts: [{ type: "text", text: "Oslo?" }] }];

/** Calls the tools once, then repeats in text what they have returned. */
const agent = (
  name: string,
  tools: ToolSet,
  options: Parameters<typeof durableTools>[2] = {},
  calls: readonly (readonly [string, unknown])[] = [["act", { city: "Oslo" }]],
): ServableWorkflow<{ messages: UIMessage[] }, UIMessage, EventSchemas> => {
  const { model } = scripted((given) =>
    resultsIn(given) === 0
      ? toolCalls(...calls)
      : text(JSON.stringify(given.prompt.filter(({ role }) => role === "tool"))),
  );
  return workflow({
    name,
    retry: { attempts: 2, backoff: { kind: "fixed", base: "5ms", jitter: 0 } },
    run: (ctx, input: { messages: UIMessage[] }) =>
      streamDurably(
        ctx,
        new ToolLoopAgent({
          model: durableModel(ctx, model),
          tools: durableTools(ctx, tools, options),
        }),
        input.messages,
      ),
  });
};

async function start(definition: ReturnType<typeof agent>) {
  bench.serve([definition]);
  const run = await bench.client.start(definition, { messages });
  const said = async (): Promise<string> => {
    const part = (await run.result({ timeout: "60s" })).parts.at(-1);
    return part?.type === "text" ? part.text : JSON.stringify(part);
  };
  const steps = async (): Promise<unknown[]> =>
    (await bench.client.runs.steps(run.runId))
      .filter(({ name }) => !name.startsWith("stream "))
      .map(({ name, kind, attempts }) => [name, kind, attempts]);
  return { runId: run.runId, run, said, steps };
}

const city = z.object({ city: z.string() });

describe("a call of a tool", () => {
  it("is a step, also in parallel, and the page gets the calls, the results and the text", async () => {
    const called: string[] = [];
    const act = tool({
      inputSchema: city,
      execute: (input) => {
        called.push(input.city);
        return { zulu: 1, alpha: { of: input.city, at: undefined } };
      },
      // Members have the same order in a replay.
      toModelOutput: ({ output }) => ({ type: "text", value: JSON.stringify(output) }),
    });
    const { runId, run, said, steps } = await start(
      agent("parallel", { act }, {}, [
        ["act", { city: "Oslo" }],
        ["act", { city: "Bergen" }],
      ]),
    );
    expect(await said()).toContain(String.raw`{\"alpha\":{\"of\":\"Oslo\"},\"zulu\":1}`);
    expect(called.toSorted()).toEqual(["Bergen", "Oslo"]);
    expect(await steps()).toEqual([
      ["act call-1", "run", 1],
      ["act call-2", "run", 1],
    ]);
    const chunks = await readAll(bench.client, runId);
    expect(chunks.map(({ type }) => type)).toEqual([
      "start",
      "start-step",
      "tool-input-available",
      "tool-input-available",
      "tool-output-available",
      "tool-output-available",
      "finish-step",
      "start-step",
      "text-start",
      "text-delta",
      "text-end",
      "finish-step",
      "finish",
    ]);
    expect(await messageOf(chunks)).toEqual(await run.result());
  });

  it("may get, return and fail with text that Postgres can't store", async () => {
    const got: string[] = [];
    const definition = agent(
      "unstorable",
      {
        act: tool({
          inputSchema: city,
          execute: ({ city: where }): string => {
            got.push(where);
            throw new Error("half \uD83D");
          },
        }),
      },
      {},
      [["act", { city: "nul \0" }]],
    );
    const { runId, said } = await start(definition);
    expect(await said()).toContain("half \uFFFD");
    expect(got).toContain("nul \0");
    const answer = JSON.stringify((await bench.client.runs.find(runId)).output);
    expect(answer).toContain("nul \uFFFD");
    expect(answer).toContain("half \uFFFD");
  });

  it("that fails is retried, and its last error goes to the model", async () => {
    const act = tool({
      inputSchema: city,
      execute: (): string => {
        throw new Error("no such city");
      },
    });
    const { said, steps } = await start(agent("failing", { act }));
    expect(await said()).toMatch(/"value":"Error: no such city"/);
    expect(await steps()).toEqual([["act call-1", "run", 2]]);
  });

  it("with tx commits its SQL with the journal; without, it has no transaction", async () => {
    await bench.database.query("create table public.visit (city text)");
    const act = tool({
      inputSchema: city,
      execute: async (input, call) => {
        await txOf(call).query("insert into public.visit values ($1)", [input.city]);
        return "visited";
      },
    });
    const inTransaction = await start(agent("visiting", { act }, { act: { tx: true } }));
    expect(await inTransaction.said()).toContain("visited");
    expect(await inTransaction.steps()).toEqual([["act call-1", "tx", 1]]);
    expect(await bench.database.query("select * from public.visit")).toEqual([{ city: "Oslo" }]);
    const without = await start(agent("loose", { act }));
    expect(await without.said()).toMatch(/no transaction: set tx to true/);
  });

  it("that yields preliminary results is journaled with the last one", async () => {
    const act = tool({
      inputSchema: city,
      execute: async function* execute() {
        await Promise.resolve();
        yield "looking";
        yield "found";
      },
    });
    const { said } = await start(agent("yielding", { act }));
    expect(await said()).toMatch(/"value":"found"/);
  });

  it("with a result that JSON can't hold names the tool and the member", async () => {
    const act = tool({ inputSchema: city, execute: () => ({ count: 1n }) });
    const { said } = await start(agent("unserializable", { act }));
    expect(await said()).toMatch(/act call-1.*\$\.count is a BigInt/);
  });

  it("with the id of an earlier call is another step", async () => {
    const { model } = scripted((given) =>
      resultsIn(given) < 2 ? toolCalls(["act", { city: `${resultsIn(given)}` }]) : text("done"),
    );
    const act = tool({ inputSchema: city, execute: (input) => input.city });
    const repeated = workflow({
      name: "repeated",
      run: (ctx, input: { messages: UIMessage[] }) =>
        streamDurably(
          ctx,
          new ToolLoopAgent({ model: durableModel(ctx, model), tools: durableTools(ctx, { act }) }),
          input.messages,
        ),
    });
    const { said, steps } = await start(repeated);
    expect(await said()).toBe("done");
    expect(await steps()).toEqual([
      ["act call-1", "run", 1],
      ["act call-1 #2", "run", 1],
    ]);
  });

  it.each([
    [{ " ": tool({ inputSchema: city }) }, {}, /a tool without a name: its key is " "/],
    [{ act: tool({ inputSchema: city }) }, { atc: {} }, /no tool "atc"/],
    [{ act: tool({ inputSchema: city, execute: () => 1 }) }, { act: { retires: 1 } }, /retires/],
  ])("of tools %o with options %o is refused", async (tools, options, message) => {
    const { run } = await start(
      agent(`bad-${message.source.length}`, tools as unknown as ToolSet, options as never),
    );
    await expect(run.result({ timeout: "60s" })).rejects.toThrow(message);
  });
});

describe("a tool with approval", () => {
  const asked = (name: string, options: ApprovalOptions<{ city: string }>) => {
    const called: string[] = [];
    const act = tool({ inputSchema: city, execute: (input) => called.push(input.city) });
    return { called, definition: agent(name, { act: approval(act, options) }) };
  };
  const requestOf = async (runId: string) => {
    const [request] = await eventually(
      async () => {
        for await (const { approvals } of bench.client.approvals.list({ runId })) return approvals;
        return [];
      },
      { length: 1 },
    );
    if (request === undefined) throw new Error("Nothing was asked.");
    return request;
  };

  it("waits without a worker, and is called once it is approved", async () => {
    const { called, definition } = asked("approved", {
      title: ({ city: where }) => `Travel to ${where}?`,
    });
    const { runId, said, steps } = await start(definition);
    const request = await requestOf(runId);
    expect(request).toMatchObject({ title: "Travel to Oslo?", step: "approve act call-1" });
    expect(called).toEqual([]);
    await bench.client.approvals.decide(request.id, "approved", { actor: "ada" });
    await said();
    expect(called).toEqual(["Oslo"]);
    expect(await steps()).toEqual([
      ["approve act call-1", "wait", 1],
      ["act call-1", "run", 1],
    ]);
  });

  it("is not called if it is refused, which the model gets as its error", async () => {
    const { called, definition } = asked("rejected", {});
    const { runId, said } = await start(definition);
    const { id } = await requestOf(runId);
    await bench.client.approvals.decide(id, "rejected", { actor: "ada" });
    expect(await said()).toMatch(/The call of act was refused by ada/);
    expect(called).toEqual([]);
  });

  it("is not called after the timeout", async () => {
    const { called, definition } = asked("late", { timeout: 50 });
    const { said } = await start(definition);
    expect(await said()).toMatch(/The call of act was not approved in time/);
    expect(called).toEqual([]);
  });

  it.each([
    [{ timeout: "soon" }, /"soon"/],
    [{ approvers: [] }, /Invalid approvers \[\]/],
    [{ approvers: "ada" }, /Invalid approvers "ada"/],
    [{ aprovers: ["ada"] }, /aprovers/],
  ])("with the options %o is refused", (options, message) => {
    expect(() =>
      approval(tool({ inputSchema: city, execute: () => 1 }), options as object),
    ).toThrow(message);
  });

  it("asks with a title that the database can store", async () => {
    const { called, definition } = asked("titled", {
      title: ({ city: where }) => (where === "Oslo" ? `\0${"\u{1F600}".repeat(2_000)}` : ""),
    });
    const { runId, said } = await start(definition);
    const { id, title } = await requestOf(runId);
    expect(title).toMatch(/^\uFFFD(?:\u{1F600})+\uFFFD$/u);
    await bench.client.approvals.decide(id, "approved", { actor: "ada" });
    await said();
    expect(called).toEqual(["Oslo"]);
  });

  it("is refused outside of durableTools", () => {
    const act = tool({ inputSchema: city, execute: () => 1 });
    const outside = approval(act) as unknown as { execute: () => unknown };
    expect(() => outside.execute()).toThrow(/only within durableTools/);
  });
});

it("the failure of a model fails the run, after an error chunk", async () => {
  const { model } = scripted(() => {
    throw new Error("out of tokens");
  });
  const failing = workflow({
    name: "failing-model",
    run: (ctx, input: { messages: UIMessage[] }) =>
      streamDurably(
        ctx,
        new ToolLoopAgent({ model: durableModel(ctx, model, { retry: { attempts: 1 } }) }),
        input.messages,
      ),
  });
  const { run, runId } = await start(failing);
  await expect(run.result({ timeout: "60s" })).rejects.toThrow("out of tokens");
  expect((await readAll(bench.client, runId)).at(-1)).toEqual({
    type: "error",
    errorText: "out of tokens",
  });
});

it("no invariant is broken by any of this", async () => {
  expect(await bench.violations()).toEqual([]);
});
