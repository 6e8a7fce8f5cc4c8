/** `oxbow definitions apply` and `export`: documents in files, for git and for other environments. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Command } from "commander";
import { type ConnectionOptions, withConnection } from "../../connection.ts";
import { usageError } from "../../exit-codes.ts";
import { printJsonLine, printRows, printText } from "../../output.ts";
import { withAuthor, withDefinitions } from "./connection.ts";
import { canonicalText, readDocuments } from "./documents.ts";
import { defined } from "../../../defined.ts";

interface ApplyArguments extends ConnectionOptions {
  readonly publish?: boolean;
  readonly overwrite?: boolean;
  readonly note?: string;
  readonly actor?: string;
}

export function addFileCommands(definitions: Command): void {
  addApplyCommand(definitions);
  addExportCommand(definitions);
}

function addApplyCommand(definitions: Command): void {
  withAuthor(definitions.command("apply"))
    .description("create or change definitions by their documents, atomically")
    .argument("<file...>", "JSON files or folders of them; - reads standard input")
    .option("--publish", "publish them as well, rather than save drafts only")
    .option("--overwrite", "replace drafts that were changed and not published")
    .option("--note <text>", "shown with the versions")
    .action(async (paths: readonly string[], options: ApplyArguments) => {
      const documents = await readDocuments(paths);
      if (documents.length === 0) throw usageError(`There is no document in ${paths.join(", ")}.`);
      const { publish = false, overwrite = false, note } = options;
      const applied = await withDefinitions(options, (client) =>
        client.apply(documents, defined({ publish, overwrite, note })),
      );
      if (options.json === true) applied.forEach(printJsonLine);
      else {
        printRows(
          applied.map(({ name, outcome, revision, version }) => ({
            DEFINITION: name,
            DRAFT: outcome,
            REVISION: revision,
            PUBLISHED: version,
          })),
        );
      }
    });
}

function addExportCommand(definitions: Command): void {
  withConnection(definitions.command("export"))
    .description("print published documents in one form, for git and `apply`")
    .argument("[definition...]", "names of definitions (default: all that are published)")
    .option("--directory <path>", "write a file <name>.json for each")
    .action(
      async (
        names: readonly string[],
        options: ConnectionOptions & { readonly directory?: string },
      ) => {
        const documents = await withDefinitions(options, (client) =>
          client.export(names.length === 0 ? undefined : names),
        );
        const { directory } = options;
        if (directory === undefined) {
          const [only] = documents;
          process.stdout.write(await canonicalText(names.length === 1 ? only : documents));
          return;
        }
        mkdirSync(directory, { recursive: true });
        for (const document of documents) {
          const path = join(directory, `${String(document["name"])}.json`);
          writeFileSync(path, await canonicalText(document));
          if (options.json === true) printJsonLine({ definition: document["name"], path });
          else printText(path);
        }
      },
    );
}
