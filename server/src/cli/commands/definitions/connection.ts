/** The client of the commands about definitions: it has the checker, as a server has. */
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type { Definitions } from "@oxbow/declared/client";
import type { Command } from "commander";
import { databaseUrl } from "../../../config.ts";
import { type ConnectionOptions, withConnection } from "../../connection.ts";
import { defined } from "../../../defined.ts";

interface AuthorOptions extends ConnectionOptions {
  readonly actor?: string;
}

/** Adds the options of a connection, and `--actor`. */
export const withAuthor = (command: Command): Command =>
  withConnection(command).option(
    "--actor <name>",
    "author of the change (default: the role of the database, or the token)",
  );

/** Calls `use` with the definitions of a client, which it closes. */
export async function withDefinitions<Result>(
  { url, token, actor }: AuthorOptions,
  use: (definitions: Definitions, client: WorkflowClient) => Promise<Result>,
): Promise<Result> {
  const target = databaseUrl(url);
  // Loaded here, since other commands don't need it.
  const [{ definitionTools }, { definitionsOf }] = await Promise.all([
    import("@oxbow/declared"),
    import("@oxbow/declared/client"),
  ]);
  const tools = /^https?:/i.test(target) ? undefined : definitionTools();
  const client = createWorkflowClient({
    url: target,
    token,
    maxConnections: 2,
    ...defined({ actor }),
  });
  try {
    return await use(definitionsOf(client, { tools }), client);
  } finally {
    await client.close();
  }
}
