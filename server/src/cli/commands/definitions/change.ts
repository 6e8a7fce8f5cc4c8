/** `oxbow definitions publish`, `restore`, `pause`, `resume`, `archive` and `delete`. */
import type { Definitions } from "@oxbow/declared/client";
import type { Command } from "commander";
import { confirm } from "../../confirm.ts";
import type { ConnectionOptions } from "../../connection.ts";
import { conflict } from "../../exit-codes.ts";
import { printJson, printText } from "../../output.ts";
import { wholeNumber } from "../../values.ts";
import { withAuthor, withDefinitions } from "./connection.ts";
import { defined } from "../../../defined.ts";

interface RevisionOptions extends ConnectionOptions {
  readonly revision?: number;
  readonly note?: string;
  readonly actor?: string;
}

export function addChangeCommands(definitions: Command): void {
  addPublishCommand(definitions);
  addRestoreCommand(definitions);
  addStateCommand(definitions, {
    verb: "pause",
    about: "pause a definition: it starts no runs until it is resumed",
    done: "Paused",
    refused: "is already paused",
    change: (client, name, reason) => client.pause(name, defined({ reason })),
  });
  addStateCommand(definitions, {
    verb: "resume",
    about: "resume a paused definition",
    done: "Resumed",
    refused: "is not paused",
    change: (client, name) => client.resume(name),
  });
  addStateCommand(definitions, {
    verb: "archive",
    about: "archive a definition: it starts no runs until it is published again",
    done: "Archived",
    refused: "is already archived",
    change: (client, name) => client.archive(name),
  });
  addDeleteCommand(definitions);
}

const withRevision = (command: Command): Command =>
  withAuthor(command).option(
    "--revision <number>",
    "fail unless the draft has this revision (default: whichever it has)",
    wholeNumber("--revision"),
  );

function addPublishCommand(definitions: Command): void {
  withRevision(definitions.command("publish"))
    .description("publish the draft of a definition as a new version")
    .argument("<definition>", "name of the definition")
    .option("--note <text>", "shown with the version")
    .action(async (name: string, options: RevisionOptions) => {
      const { note } = options;
      const { version, created } = await withDefinitions(options, async (client) => {
        const revision = options.revision ?? (await client.draft(name)).revision;
        return client.publish(name, revision, defined({ note }));
      });
      if (options.json === true) printJson({ definition: name, version, created });
      else if (created) printText(`Published version ${version} of ${name}.`);
      else printText(`The draft of ${name} is version ${version}, which was published before.`);
    });
}

function addRestoreCommand(definitions: Command): void {
  withRevision(definitions.command("restore"))
    .description("make a version the draft of its definition")
    .argument("<definition>", "name of the definition")
    .argument("<version>", "number of the version", wholeNumber("<version>"))
    .action(async (name: string, version: number, options: RevisionOptions) => {
      const revision = await withDefinitions(options, async (client) =>
        client.restore(name, version, options.revision ?? (await client.draft(name)).revision),
      );
      if (options.json === true) printJson({ definition: name, version, revision });
      else {
        printText(
          `The draft of ${name} is version ${version} now, as revision ${revision}. Publish it to make it effective.`,
        );
      }
    });
}

interface StateCommand {
  readonly verb: "pause" | "resume" | "archive";
  readonly about: string;
  readonly done: string;
  readonly refused: string;
  readonly change: (
    definitions: Definitions,
    name: string,
    reason: string | undefined,
  ) => Promise<boolean>;
}

function addStateCommand(definitions: Command, command: StateCommand): void {
  const { verb, about, done, refused, change } = command;
  const added = withAuthor(definitions.command(verb))
    .description(about)
    .argument("<definition>", "name of the definition");
  if (verb === "pause") added.option("--reason <text>", "reason, shown with the definition");
  added.action(async (name: string, options: ConnectionOptions & { readonly reason?: string }) => {
    const isChanged = await withDefinitions(options, (client) =>
      change(client, name, options.reason),
    );
    if (options.json === true) printJson({ definition: name, changed: isChanged });
    if (!isChanged) throw conflict("NOT_CHANGED", `Definition "${name}" ${refused}.`);
    if (options.json !== true) printText(`${done} definition ${name}.`);
  });
}

function addDeleteCommand(definitions: Command): void {
  withAuthor(definitions.command("delete"))
    .description("delete a definition that has no runs, with its versions")
    .argument("<definition>", "name of the definition")
    .option("--yes", "delete without asking")
    .action(async (name: string, options: ConnectionOptions & { readonly yes?: boolean }) => {
      await withDefinitions(options, async (client) => {
        await client.draft(name);
        await confirm(`Delete definition "${name}"`, options.yes);
        await client.delete(name);
      });
      if (options.json === true) printJson({ definition: name, deleted: true });
      else printText(`Deleted definition ${name}.`);
    });
}
