/** Answers clients of the Model Context Protocol at `/mcp`. Each request is answered by itself; there are no sessions. */
import type { McpHttpHandler } from "@modelcontextprotocol/server";
import type { Emitter } from "@oxbow/sdk/internal/server";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ServerEvents } from "../events.ts";
import type { App } from "../http/app.ts";
import type { Identity } from "../http/auth.ts";
import { describe } from "../http/problems.ts";
import { includesScope } from "../http/scopes.ts";
import { Confirmations } from "./confirmations.ts";
import type { Allowance, Operator, ToolContext } from "./tool.ts";
import { sharedLook } from "../telemetry/shared-look.ts";

interface McpOptions extends Pick<ToolContext, "transport" | "examine"> {
  /** The permission of tools to do more than read, for callers with the scopes; undefined to only read. */
  readonly allowance: Allowance | undefined;
  /** Secrets that all servers of a url share, which sign confirmations. */
  readonly secrets: readonly string[];
  readonly events: Pick<Emitter<ServerEvents>, "emit">;
}

/** The caller of a request. */
interface Caller {
  readonly identity: Identity;
  readonly address: string;
}

/** Streams of clients that listen for changes, of which there are none. */
const MOST_STREAMS = 64;

/** Origin, host and token are checked as for every route. */
export function addMcp(app: App, options: McpOptions): void {
  const { transport, examine, allowance, secrets, events } = options;
  const describeError = (error: unknown): string => {
    const { code, detail } = describe(error);
    if (code === "INTERNAL_ERROR") app.log.error({ err: error }, "a tool of MCP failed");
    return detail;
  };
  const reading = {
    transport,
    // Each examination opens a connection.
    examine: examine && sharedLook(examine),
    describe: describeError,
  };
  const confirmations = new Confirmations(secrets);
  const operatorFor = ({ identity, address }: Caller): Omit<Operator, "allowance"> => {
    const { actor, kind, token, scopes } = identity;
    return {
      transport: transport.actingFor?.({ actor, kind, token, address }) ?? transport,
      subject: JSON.stringify([kind, actor, token ?? null]),
      confirmations,
      has: (scope) => includesScope(scopes, scope),
      describe: describeError,
      onSignal: (workflow, event) => events.emit("signalSent", { workflow, event }),
      stopping: app.stopping,
    };
  };
  const contextFor = (caller: Caller): ToolContext => ({
    ...reading,
    operator: allowance === undefined ? undefined : { allowance, ...operatorFor(caller) },
  });
  let loading: Promise<McpHttpHandler> | undefined;
  app.addHook("preClose", async () => (await loading)?.close());
  app.route({
    method: "POST",
    url: "/mcp",
    config: { scope: "read" },
    schema: { hide: true },
    handler: async (request, reply) => {
      const { fetch: answer } = await (loading ??= load(contextFor));
      const { identity, ip: address, body: parsedBody } = request;
      if (identity === null) throw new Error("The route requires a scope.");
      const caller: Caller = { identity, address };
      // The SDK passes it on; tokens were checked before.
      const authInfo = { token: "", clientId: "", scopes: [], extra: { caller } };
      return reply.send(await answer(toWeb(request, reply), { parsedBody, authInfo }));
    },
  });
}

/** Loads the SDK with the first request, so that servers start as quickly without one. */
async function load(contextFor: (caller: Caller) => ToolContext): Promise<McpHttpHandler> {
  const [{ createMcpHandler }, { makeMcpServer }] = await Promise.all([
    import("@modelcontextprotocol/server"),
    import("./mcp-server.ts"),
  ]);
  return createMcpHandler(
    ({ authInfo }) => makeMcpServer(contextFor(authInfo?.extra?.["caller"] as Caller)),
    { maxSubscriptions: MOST_STREAMS },
  );
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
