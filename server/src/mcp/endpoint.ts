/** Answers clients of the Model Context Protocol at `/mcp`. Each request is answered by itself; there are no sessions. */
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { App } from "../http/app.ts";
import { describe } from "../http/problems.ts";
import type { ToolContext } from "./tool.ts";

type McpOptions = Pick<ToolContext, "transport" | "examine">;

/** Streams of clients that listen for changes, of which there are none. */
const MOST_STREAMS = 64;

/** Origin, host and token are checked as for every route. */
export function addMcp(app: App, { transport, examine }: McpOptions): void {
  const context = {
    transport,
    examine: examine && sharing(examine),
    describe: (error: unknown): string => {
      const { code, detail } = describe(error);
      if (code === "INTERNAL_ERROR") app.log.error({ err: error }, "a tool of MCP failed");
      return detail;
    },
  };
  let loading: Promise<McpHttpHandler> | undefined;
  app.addHook("preClose", async () => (await loading)?.close());
  app.route({
    method: "POST",
    url: "/mcp",
    config: { scope: "read" },
    schema: { hide: true },
    handler: async (request, reply) => {
      const { fetch: answer } = await (loading ??= load(context));
      return reply.send(await answer(toWeb(request, reply), { parsedBody: request.body }));
    },
  });
}

/** Calls that come while one is under way get its result: each opens a connection. */
function sharing<Result>(work: () => Promise<Result>): () => Promise<Result> {
  let running: Promise<Result> | undefined;
  return () =>
    (running ??= work().finally(() => {
      running = undefined;
    }));
}

/** Loads the SDK with the first request, so that servers start as quickly without one. */
async function load(context: ToolContext): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { makeMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("./protocol.ts"),
  ]);
  return createMcpHandler(() => makeMcpServer(context), { maxSubscriptions: MOST_STREAMS });
}

/** The request without its body, which is parsed. Its signal aborts when the client leaves. */
function toWeb({ method, url, headers }: FastifyRequest, reply: FastifyReply): Request {
  const left = new AbortController();
  reply.raw.once("close", () => left.abort());
  const pairs = Object.entries(headers).flatMap(([name, value = []]) =>
    [value].flat().map((one): [string, string] => [name, one]),
  );
  return new Request(new URL(url, "http://localhost"), {
    method,
    headers: pairs.filter(([name]) => !["content-length", "connection"].includes(name)),
    signal: left.signal,
  });
}
