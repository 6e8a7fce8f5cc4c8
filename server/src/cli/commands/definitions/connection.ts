/** The client of the commands about definitions: it has the checker, as a server has. */
import { createWorkflowClient, type WorkflowClient } from "@oxbow/sdk";
import type { Command } from "commander";
import { databaseUrl } from "../../../config.ts";
import { type ConnectionOptions, withConnection } from "../../connection.ts";

interface AuthorOptions extends ConnectionOptions {
  readonly actor?: string;
}

/** Adds the options of a connection, and `--actor`. */
export const withAuthor = (command: Command): Command =>
  withConnection(command).option(
    "--actor <name>",
    "author of the change (default: the role of the database, or the token)",
  );

/** Calls `use` with a client, and closes it. */
export const withDefinitions = <Result>(
  options: AuthorOptions,
  use: (definitions: WorkflowClient["definitions"]) => Promise<Result>,
): Promise<Result> => withClient(options, (client) => use(client.definitions));

/** The same with all of the client. */
export async function withClient<Result>(
  { url, token, actor }: AuthorOptions,
  use: (client: WorkflowClient) => Promise<Result>,
): Promise<Result> {
  const target = databaseUrl(url);
  // Loaded here, since other commands don't need it.
  const { definitionTools } = await import("@oxbow/declared");
  const client = createWorkflowClient({
    url: target,
    token,
    maxConnections: 2,
    ...(/^https?:/i.test(target) ? {} : { definitionTools: definitionTools() }),
    ...(actor === undefined ? {} : { actor }),
  });
  try {
    return await use(client);
  } finally {
    await client.close();
  }
}
