/** Tools of a server of the Model Context Protocol, by the official client, in runs that are replayed after each step. */
import { Client, InMemoryTransport } from "@modelcontextprotocol/client";
import { type CallToolResult, McpServer } from "@modelcontextprotocol/server";
import { durableMcpTools, durableModel, type McpClient, type McpToolsOptions } from "@oxbow/ai";
import { type Context, workflow } from "@oxbow/sdk/runtime";
import { ToolLoopAgent } from "ai";
import { describe, expect, it } from "vitest";
import { overHttp } from "../adapters/mcp/clients.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupEnvironment } from "../helpers/test-environment.ts";
import { setupWorkflows } from "../helpers/workflows.ts";
import { resultsIn, scripted, text, toolCalls } from "./models.ts";

type Calls = readonly (readonly [string, unknown])[];

/** A server with tools in two pages, and a client of it. */
async function connectTo(
  answer: (name: string, signal: AbortSignal) => CallToolResult | Promise<CallToolResult>,
) {
  const asked: string[] = [];
  const mcp = new McpServer({ name: "weather", version: "1" }, { capabilities: { tools: {} } });
  const { server } = mcp;
  const inputSchema = { type: "object", properties: { city: { type: "string" } } } as const;
  server.setRequestHandler("tools/list", ({ params }) => {
    asked.push(`list ${params?.cursor ?? ""}`.trim());
    return params?.cursor === undefined
      ? {
          tools: [{ name: "forecast", description: "Forecasts the weather.", inputSchema }],
          nextCursor: "2",
        }
      : {
          tools: [{ name: "warn", inputSchema, annotations: { destructiveHint: true } }],
        };
  });
  server.setRequestHandler("tools/call", ({ params }, { mcpReq: { signal } }) => {
    asked.push(`${params.name} ${JSON.stringify(params.arguments)}`);
    return answer(params.name, signal);
  });
  const client = new Client({ name: "test", version: "1" });
  const [ours, theirs] = InMemoryTransport.createLinkedPair();
  await Promise.all([server.connect(theirs), client.connect(ours)]);
  atFileEnd(() => client.close());
  return { client, asked };
}

/** Calls the tools, then repeats what they have returned. */
const agentOf = async (
  ctx: Context,
  client: McpClient | (() => Promise<McpClient>),
  calls: Calls,
  options?: McpToolsOptions,
) => {
  const { model } = scripted((given) =>
    resultsIn(given) === 0
      ? toolCalls(...calls)
      : text(JSON.stringify(given.prompt.filter(({ role }) => role === "tool"))),
  );
  return new ToolLoopAgent({
    model: durableModel(ctx, model),
    tools: await durableMcpTools(ctx, client, options),
  });
};

let made = 0;

/** Runs a body in a run that is replayed after each step. */
async function replayed<Output>(body: (ctx: Context) => Promise<Output>) {
  made += 1;
  const definition = workflow({
    name: `mcp-${made}`,
    retry: { attempts: 2, backoff: { kind: "fixed", base: "5ms", jitter: 0 } },
    run: body,
  });
  const one = await setupEnvironment([definition], { replay: "every-step" });
  const run = await one.client.start(definition, undefined);
  const output = await run.result({ timeout: "60s" });
  const steps = await one.client.runs.steps(run.runId);
  return { output, steps: steps.map(({ name, attempts }) => [name, attempts]) };
}

const said = async (...given: Parameters<typeof agentOf>): Promise<string> =>
  (await (await agentOf(...given)).generate({ prompt: "Oslo?" })).text;

const textual = (value: string): CallToolResult => ({ content: [{ type: "text", text: value }] });

describe("durableMcpTools", () => {
  it("lists the tools once for a run, and makes each call a step", async () => {
    const { client, asked } = await connectTo((name) => textual(`${name}: sunny`));
    let connects = 0;
    const { output, steps } = await replayed((ctx) =>
      said(ctx, () => {
        connects += 1;
        return Promise.resolve(client);
      }, [
        ["forecast", { city: "Oslo" }],
        ["warn", { city: "Oslo" }],
      ]),
    );
    expect(output).toContain("forecast: sunny");
    expect(output).toContain("warn: sunny");
    expect(asked).toEqual(["list", "list 2", 'forecast {"city":"Oslo"}', 'warn {"city":"Oslo"}']);
    // Only steps use the client.
    expect(connects).toBe(3);
    expect(steps.filter(([name]) => !String(name).startsWith("generate "))).toEqual([
      ["mcp-tools server", 1],
      ["forecast call-1", 1],
      ["warn call-2", 1],
    ]);
  });

  it("asks each server once, however often a body wants its tools, and prefixes their names", async () => {
    const { client, asked } = await connectTo(() => textual(""));
    const { output } = await replayed(async (ctx) => {
      const first = await durableMcpTools(ctx, client, { name: "weather", prefix: "w_" });
      const [again, other] = await Promise.all([
        durableMcpTools(ctx, client, { name: "weather" }),
        durableMcpTools(ctx, client, { name: "other" }),
      ]);
      return [first, again, other].map((tools) => Object.keys(tools));
    });
    expect(output).toEqual([
      ["w_forecast", "w_warn"],
      ["forecast", "warn"],
      ["forecast", "warn"],
    ]);
    expect(asked).toEqual(["list", "list 2", "list", "list 2"]);
  });

  it("gives the error of a tool to the model without another call", async () => {
    const { client, asked } = await connectTo(() => ({
      ...textual("no such city"),
      isError: true,
    }));
    const { output, steps } = await replayed((ctx) =>
      said(ctx, client, [["forecast", { city: "Atlantis" }]]),
    );
    expect(output).toContain('"type":"error-text","value":"no such city"');
    expect(asked).toHaveLength(3);
    expect(steps).toContainEqual(["forecast call-1", 1]);
  });

  it("repeats what the connection has failed at", async () => {
    const { client } = await connectTo(() => textual("sunny"));
    let failures = 0;
    const flaky = (): Promise<McpClient> => {
      failures += 1;
      return failures % 2 === 1
        ? Promise.reject(new Error("connection refused"))
        : Promise.resolve(client);
    };
    const { output, steps } = await replayed((ctx) =>
      said(ctx, flaky, [["forecast", { city: "Oslo" }]]),
    );
    expect(output).toContain("sunny");
    expect(steps).toEqual(
      expect.arrayContaining([
        ["mcp-tools server", 2],
        ["forecast call-1", 2],
      ]),
    );
  });

  it("passes pictures and other parts to the model, and text that the database can store", async () => {
    const { client } = await connectTo(() => ({
      content: [
        { type: "text", text: "a\u0000b" },
        { type: "image", mimeType: "image/png", data: "iVBORw0=" },
        { type: "resource", resource: { uri: "file:///a", text: "a file" } },
        { type: "resource_link", uri: "file:///b", name: "b" },
      ],
    }));
    const { output } = await replayed((ctx) => said(ctx, client, [["forecast", { city: "Oslo" }]]));
    expect(output).toContain("a\uFFFDb");
    expect(output).toContain('"mediaType":"image/png"');
    expect(output).toContain('"text":"a file"');
    expect(output).toContain(String.raw`\"uri\":\"file:///b\"`);
  });

  it("aborts a call at its timeout, also by a client whose calls take no signal", async () => {
    const aborted: string[] = [];
    const { client } = await connectTo(
      (name, signal) =>
        new Promise((resolve) => {
          signal.addEventListener("abort", () => {
            aborted.push(name);
            resolve(textual("late"));
          });
        }),
    );
    const earlier: McpClient = {
      listTools: (page) => client.listTools(page),
      callTool: (call) => client.callTool(call),
    };
    for (const [one, count] of [
      [client, 2],
      [earlier, 0],
    ] as const) {
      aborted.length = 0;
      const { output } = await replayed((ctx) =>
        said(ctx, one, [["forecast", { city: "Oslo" }]], { timeout: "300ms" }),
      );
      expect(output).toContain("error-text");
      expect(aborted).toHaveLength(count);
    }
  });

  it("refuses a server whose pages have no end, and wrong options", async () => {
    const endless: McpClient = {
      listTools: () => Promise.resolve({ tools: [], nextCursor: "1" }),
      callTool: () => Promise.resolve({}),
    };
    await expect(replayed((ctx) => durableMcpTools(ctx, endless))).rejects.toThrow(
      'returned the cursor "1" of its tools twice',
    );
    await expect(
      durableMcpTools({} as Context, endless, { naem: "x" } as McpToolsOptions),
    ).rejects.toThrow("naem");
  });

  it("asks people before the calls that approve names", async () => {
    const { client, asked } = await connectTo(() => textual("warned"));
    const bench = await setupWorkflows();
    const definition = workflow({
      name: "mcp-approved",
      run: (ctx) =>
        said(ctx, client, [["warn", { city: "Oslo" }]], {
          approve: ({ annotations }) =>
            annotations?.destructiveHint === true && { title: "Warn the city?" },
        }),
    });
    bench.serve([definition]);
    const run = await bench.client.start(definition);
    const [request] = await eventually(
      async () => {
        const { runId } = run;
        for await (const { approvals } of bench.client.approvals.list({ runId })) return approvals;
        return [];
      },
      { length: 1 },
    );
    expect(request).toMatchObject({ title: "Warn the city?" });
    expect(asked).toEqual(["list", "list 2"]);
    await bench.client.approvals.decide(request?.id ?? "", "approved", { actor: "ada" });
    expect(await run.result({ timeout: "60s" })).toContain("warned");
  });

  it("takes the tools of Oxbow itself", async () => {
    const bench = await setupWorkflows();
    const { runId } = await bench.client.start("unserved", null);
    const server = await startTestServer(bench.database, { mcp: true });
    const client = await overHttp(server);
    const { output } = await replayed((ctx) => said(ctx, client, [["explain_run", { runId }]]));
    expect(output).toContain("no_worker");
  });
});
