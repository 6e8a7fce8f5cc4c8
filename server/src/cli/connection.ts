/** Options and client of commands that connect to a database or a server. */
import type { Definitions } from "@oxbow/declared/client";
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type { ConnectOptions } from "@oxbow/sdk/internal/server";
import type { Command } from "commander";
import { clientShards, databaseUrl } from "../config.ts";
import { usageError } from "./exit-codes.ts";

export interface ConnectionOptions {
  readonly url?: string;
  readonly token?: string;
  readonly json?: boolean;
}

/** Adds `--url`, `--token` and `--json`. */
export function withConnection(command: Command): Command {
  return command
    .option(
      "--url <url>",
      "postgres://... or http(s)://... (default: QUEUE_URL, then DATABASE_URL)",
    )
    .option("--token <token>", "token for a server (default: QUEUE_TOKEN)")
    .option("--json", "print JSON");
}

/** What a command connects to: a database or a server, or the shards of a fleet. */
export function wayTo({
  url,
  token,
}: Pick<ConnectOptions, "url" | "token">): Pick<ConnectOptions, "url" | "token" | "shards"> {
  const shards = clientShards(url);
  return shards === undefined ? { url: databaseUrl(url), token } : { shards };
}

/** Calls `use` with a client, and closes it. */
export async function withClient<Result>(
  options: ConnectionOptions,
  use: (client: WorkflowClient) => Promise<Result>,
): Promise<Result> {
  const client = createWorkflowClient({ ...wayTo(options), maxConnections: 2 });
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
