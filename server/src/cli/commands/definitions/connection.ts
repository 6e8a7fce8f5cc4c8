/** The client of the commands about definitions: it has the checker, as a server has. */
import type { WorkflowClient } from "@oxbow/sdk";
import type { Definitions } from "@oxbow/declared/client";
import type { Command } from "commander";
import { type ConnectionOptions, wayTo, withClient, withConnection } from "../../connection.ts";

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
export const withDefinitions = <Result>(
  options: AuthorOptions,
  use: (definitions: Definitions, client: WorkflowClient) => Promise<Result>,
): Promise<Result> =>
  withClient(
    options,
    async (client) => {
      // Loaded here, since other commands don't need it.
      const [{ definitionTools }, { definitionsOf }] = await Promise.all([
        import("@oxbow/declared"),
        import("@oxbow/declared/client"),
      ]);
      const isServer = /^https?:/i.test(wayTo(options).url ?? "");
      return use(
        definitionsOf(client, { tools: isServer ? undefined : definitionTools() }),
        client,
      );
    },
    options.actor,
  );
