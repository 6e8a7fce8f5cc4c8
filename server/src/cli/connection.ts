/** Options and client of commands that connect to a database or a server. */
import type { Definitions } from "@oxbow/declared/client";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type { ConnectOptions } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { clientShards, databaseUrl } from "../config.ts";
import { defined } from "../defined.ts";
import { usageError } from "./exit-codes.ts";

export interface ConnectionOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** Adds `--url` and `--token`. */
export const withTarget = (command: Command): Command =>
  command
    .option(
      "--url <url>",
      "postgres://... or http(s)://... (default: QUEUE_URL, then DATABASE_URL)",
    )
    .option("--token <token>", "token for a server (default: QUEUE_TOKEN)");

/** The same, and `--json`. */
export const withConnection = (command: Command): Command =>
  withTarget(command).option("--json", "print JSON");

/** What a command connects to: a database or a server, or the shards of a fleet. */
export function wayTo({
  url,
  token,
}: Pick<ConnectOptions, "url" | "token">): Pick<ConnectOptions, "url" | "token" | "shards"> {
  const shards = clientShards(url);
  return shards === undefined ? { url: databaseUrl(url), token } : { shards };
}

/** Calls `use` with a client, and closes it. @param actor In whose name it acts, if not in its own. */
export async function withClient<Result>(
  options: ConnectionOptions,
  use: (client: WorkflowClient) => Promise<Result>,
  actor?: string,
): Promise<Result> {
  const way = { ...wayTo(options), maxConnections: 2, ...defined({ actor }) };
  const client = createWorkflowClient(way);
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}

/** Calls `use` with the calls about definitions of such a client. Only their commands load them. */
export const withDeclared = <Result>(
  options: ConnectionOptions,
  use: (definitions: Definitions) => Promise<Result>,
): Promise<Result> =>
  withClient(options, async (client) => {
    const { definitionsOf } = await import("@oxbow/declared/client");
    return use(definitionsOf(client));
  });

/** Url of a database, for commands that don't work through a server. */
export function directUrl(given: string | undefined, command: string): string {
  const url = databaseUrl(given);
  if (!/^https?:/i.test(url)) return url;
  throw usageError(
    `\`oxbow ${command}\` requires a direct connection to the database, not a server: give --url postgres://...`,
  );
}
