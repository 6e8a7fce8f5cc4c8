/** `oxbow definitions`: workflows as data. */
import type {
  DefinitionChange,
  DefinitionDocument,
  DefinitionProblem,
  DefinitionRecord,
} from "@oxbow/declared/client";
import type { Command } from "commander";
import { type ConnectionOptions, withConnection } from "../../connection.ts";
import { CommandFailure, EXIT, notFound, usageError } from "../../exit-codes.ts";
import {
  printFacts,
  printJson,
  printJsonLine,
  printList,
  printRows,
  printText,
  remark,
  style,
} from "../../output.ts";
import { showTime } from "../../show.ts";
import { oneOf } from "../../values.ts";
import { addChangeCommands } from "./change.ts";
import { addConfigureCommand } from "./configure.ts";
import { withDefinitions } from "./connection.ts";
import { isFile, readDocuments } from "./documents.ts";
import { addEventCommands } from "./events.ts";
import { addFileCommands } from "./files.ts";
import { addHooksCommand } from "./hooks.ts";
import { addStartCommand } from "./start.ts";
import { addMigrateCommand, addRerunCommand } from "./migrate.ts";
import { addDeleteTestCommand, addTestCommand } from "./test.ts";
import { defined } from "../../../defined.ts";

const STATES = ["draft", "published", "paused", "archived"] as const;

interface ListOptions extends ConnectionOptions {
  readonly folder?: string;
  readonly state?: (typeof STATES)[number];
  readonly search?: string;
}

export function addDefinitionsCommands(program: Command): void {
  const definitions = program
    .command("definitions")
    .description("list, check, apply, publish and start workflows that are data");
  addListCommand(definitions);
  addShowCommand(definitions);
  addValidateCommand(definitions);
  addDiffCommand(definitions);
  addFileCommands(definitions);
  addChangeCommands(definitions);
  addConfigureCommand(definitions);
  addStartCommand(definitions);
  addEventCommands(definitions);
  addHooksCommand(definitions);
  addTestCommand(definitions);
  addDeleteTestCommand(definitions);
  addMigrateCommand(definitions);
  addRerunCommand(definitions);
}

function addListCommand(definitions: Command): void {
  withConnection(definitions.command("list"))
    .description("list definitions")
    .option("--folder <folder>", "only those of this folder")
    .option(
      "--state <state>",
      `only definitions that are ${STATES.join(", ")}`,
      oneOf("--state", STATES),
    )
    .option("--search <text>", "only those with this text in their name or title")
    .action(async (options: ListOptions) => {
      const { folder, state, search } = options;
      const found = await withDefinitions(options, (client) =>
        client.list(defined({ limit: 1_000, folder, state, search })),
      );
      printList(found, options, {
        none: "No definitions. Create one: oxbow definitions apply",
        row: (each) => ({
          DEFINITION: each.name,
          FOLDER: each.folder,
          STATE: each.state === "paused" ? style("yellow", each.state) : each.state,
          VERSION: each.publishedVersion,
          DRAFT: each.hasChanges ? `revision ${each.revision} by ${each.draftBy}` : "",
          SAVED: showTime(each.draftedAt),
          TITLE: each.title,
        }),
      });
    });
}

function addShowCommand(definitions: Command): void {
  withConnection(definitions.command("show"))
    .description("show a definition and its versions")
    .argument("<definition>", "name of the definition")
    .action(async (name: string, options: ConnectionOptions) => {
      const { found, versions } = await withDefinitions(options, async (client) => ({
        found: await client.get(name),
        versions: await client.versions(name),
      }));
      if (found === undefined) {
        throw notFound(
          "DEFINITION_NOT_FOUND",
          `Definition "${name}" doesn't exist. \`oxbow definitions list\` lists all definitions.`,
        );
      }
      if (options.json === true) printJson({ ...found, versions });
      else {
        printFacts(factsOf(found));
        if (versions.length === 0) return;
        printText("");
        printRows(
          versions.map((each) => ({
            VERSION: each.version,
            STATE: each.state,
            PUBLISHED: showTime(each.publishedAt),
            BY: each.publishedBy,
            NOTE: each.note,
          })),
        );
      }
    });
}

const factsOf = (definition: DefinitionRecord): Record<string, string | number | null> => ({
  definition: definition.name,
  title: definition.title,
  folder: definition.folder,
  state: definition.state,
  reason: definition.pauseReason,
  draft: `revision ${definition.revision}, saved by ${definition.draftBy} ${showTime(definition.draftedAt)}`,
  changes: definition.hasChanges ? "the draft differs from what is published" : "none",
  pool: definition.pool,
  scope: definition.scope === null ? null : JSON.stringify(definition.scope),
  protected: definition.isProtected ? "its authors may not publish it" : null,
});

function addValidateCommand(definitions: Command): void {
  withConnection(definitions.command("validate"))
    .description(
      "check drafts, or documents in files; files need no database, but with --url they are checked by its catalog",
    )
    .argument("<definition...>", "names of definitions, or files")
    .action(async (names: readonly string[], options: ConnectionOptions) => {
      const checked = (await Promise.all(names.map((each) => check(each, options)))).flat();
      for (const { name, problems } of checked) {
        if (options.json === true) printJsonLine({ definition: name, problems });
        else showProblems(name, problems);
      }
      const errors = checked.flatMap(({ problems }) =>
        problems.filter(({ severity }) => severity === "error"),
      );
      if (errors.length > 0) {
        throw new CommandFailure(
          EXIT.usage,
          "INVALID_DEFINITION",
          errors.length === 1 ? "There is 1 error." : `There are ${errors.length} errors.`,
        );
      }
    });
}

interface Checked {
  readonly name: string;
  readonly problems: readonly DefinitionProblem[];
}

async function check(name: string, options: ConnectionOptions): Promise<Checked[]> {
  if (!isFile(name)) {
    const problems = await withDefinitions(options, (client) => client.validate(name));
    return [{ name, problems }];
  }
  const documents = await readDocuments([name]);
  const named = (document: DefinitionDocument, problems: Checked["problems"]): Checked => ({
    name: nameIn(document) ?? name,
    problems,
  });
  if (options.url !== undefined && documents.every((document) => nameIn(document) !== undefined)) {
    return withDefinitions(options, (client) =>
      Promise.all(
        documents.map(async (document) => named(document, await client.validate(document))),
      ),
    );
  }
  const { definitionTools } = await import("@oxbow/declared");
  const tools = definitionTools();
  return documents.map((document) => named(document, tools.check(document).problems));
}

const nameIn = ({ name }: DefinitionDocument): string | undefined =>
  typeof name === "string" ? name : undefined;

function showProblems(name: string, problems: readonly DefinitionProblem[]): void {
  if (problems.length === 0) printText(`${name} has no problems.`);
  for (const { severity, pointer, message, hint, code } of problems) {
    const shown = severity === "error" ? style("red", severity) : style("yellow", severity);
    printText(`${name}${pointer} ${shown} ${code}: ${message}. ${hint}`);
  }
}

const DOCUMENT = /^(draft|published|[1-9]\d{0,8})$/;

const which = (option: string) => (text: string) => {
  if (!DOCUMENT.test(text)) {
    throw usageError(`Invalid ${option} "${text}": give a version, draft or published.`);
  }
  return text === "draft" || text === "published" ? text : Number(text);
};

function addDiffCommand(definitions: Command): void {
  withConnection(definitions.command("diff"))
    .description("show what differs between two documents of a definition")
    .argument("<definition>", "name of the definition")
    .option("--from <version>", "a version, draft or published", which("--from"), "published")
    .option("--to <version>", "a version, draft or published", which("--to"), "draft")
    .action(
      async (
        name: string,
        options: ConnectionOptions & { readonly from: "published"; readonly to: "draft" },
      ) => {
        const { from, to } = options;
        const changes = await withDefinitions(options, (client) => client.diff(name, { from, to }));
        if (options.json === true) changes.forEach(printJsonLine);
        else if (changes.length === 0) remark("The documents are equal.");
        else changes.forEach(showChange);
      },
    );
}

function showChange({ kind, pointer, from, to }: DefinitionChange): void {
  const place = pointer === "" ? "/" : pointer;
  const [was, is] = [JSON.stringify(from), JSON.stringify(to)];
  if (kind === "added") printText(style("green", `+ ${place} ${is}`));
  else if (kind === "removed") printText(style("red", `- ${place} ${was}`));
  else printText(`~ ${place} ${style("red", was ?? "")} → ${style("green", is ?? "")}`);
}
