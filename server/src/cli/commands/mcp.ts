import { diagnose, type Finding } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { once } from "node:events";
import type { Allowance, Operator } from "../../mcp/tool.ts";
import { wayTo, withTarget } from "../connection.ts";
import { describeFailure } from "../failure.ts";
import { diagnoseFleet } from "../../fleet-advice.ts";
import { oneOf } from "../values.ts";
import { toShards } from "./shard-urls.ts";

interface McpArguments {
  readonly url?: string;
  readonly token?: string;
  readonly allow?: Allowance;
}

/** `oxbow mcp`: tools for language models over standard input and output, until the input ends. */
export function addMcpCommand(program: Command): void {
  withTarget(program.command("mcp"))
    .description(
      "serve tools for workflows and queues to a client of the Model Context Protocol, over standard input and output",
    )
    .option(
      "--allow <what>",
      "start: also offer exposed workflows; operate: also offer tools that change something (default: tools that only read)",
      oneOf("--allow", ["start", "operate"]),
    )
    .action(serveMcp);
}

async function serveMcp({ url, token, allow }: McpArguments): Promise<void> {
  const way = wayTo({ url, token });
  // Loaded here, because the command is the only one that uses it.
  const [{ connect }, { serveStdio }, { makeMcpServer }, { Confirmations }] = await Promise.all([
    import("@oxbow/fleet/internal"),
    import("@modelcontextprotocol/server/stdio"),
    import("../../mcp/mcp-server.ts"),
    import("../../mcp/confirmations.ts"),
  ]);
  const transport = connect({ ...way, maxConnections: 2 });
  const operator: Omit<Operator, "allowance"> = {
    transport,
    // The login, or the token of the server, decides what it may do.
    subject: "login",
    has: () => true,
    confirmations: new Confirmations([]),
    describe: describeFailure,
    onSignal: () => {},
    stopping: undefined,
  };
  const context = {
    transport,
    examine: examinationOf(way.url),
    describe: describeFailure,
    operator: allow === undefined ? undefined : { allowance: allow, ...operator },
  };
  const ended = Promise.race([
    once(process.stdin, "close"),
    once(process, "SIGTERM"),
    once(process, "SIGINT"),
  ]);
  const serving = serveStdio(() => makeMcpServer(context));
  await ended;
  await serving.close();
  await transport.close();
}

/** @param url Of one database or a server; undefined for shards. */
function examinationOf(url: string | undefined): (() => Promise<Finding[]>) | undefined {
  if (url === undefined) return () => diagnoseFleet(toShards([]));
  return /^https?:/i.test(url) ? undefined : () => diagnose(url);
}
