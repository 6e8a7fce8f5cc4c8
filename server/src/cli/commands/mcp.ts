import { diagnose, type Finding } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { once } from "node:events";
import { clientShards, databaseUrl } from "../../config.ts";
import { describeFailure } from "../failure.ts";
import { diagnoseFleet } from "../../fleet-advice.ts";
import { toShards } from "./shard-urls.ts";

interface McpArguments {
  readonly url?: string;
  readonly token?: string;
}

/** `oxbow mcp`: tools for language models over standard input and output, until the input ends. */
export function addMcpCommand(program: Command): void {
  program
    .command("mcp")
    .description(
      "serve tools that read workflows and queues to a client of the Model Context Protocol, over standard input and output",
    )
    .option(
      "--url <url>",
      "postgres://... or http(s)://... (default: QUEUE_URL, then DATABASE_URL)",
    )
    .option("--token <token>", "token for a server (default: QUEUE_TOKEN)")
    .action(serveMcp);
}

async function serveMcp({ url, token }: McpArguments): Promise<void> {
  const shards = clientShards(url);
  const way = shards === undefined ? { url: databaseUrl(url), token } : { shards };
  // Loaded here, because the command is the only one that uses it.
  const [{ connect }, { serveStdio }, { makeMcpServer }] = await Promise.all([
    import("@oxbow/fleet/internal"),
    import("@modelcontextprotocol/server/stdio"),
    import("../../mcp/protocol.ts"),
  ]);
  const transport = connect({ ...way, maxConnections: 2 });
  const context = { transport, examine: examinationOf(way.url), describe: describeFailure };
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
