/** `oxbow resources`: types of things that definitions name, and their protection. */
import type { ResourceType } from "@oxbow/declared/client";
import type { Command } from "commander";
import { type ConnectionOptions, directUrl, withDeclared, withConnection } from "../connection.ts";
import { printJson, printList, remark } from "../output.ts";

export function addResourcesCommands(program: Command): void {
  const resources = program
    .command("resources")
    .description("list types of resources; protect their tables");
  withConnection(resources.command("list"))
    .description("list the types that workers have registered, and the tables that are protected")
    .action(async (options: ConnectionOptions) => {
      const types = await withDeclared(options, (calls) => calls.resources.types());
      printList(types, options, {
        none: "No types. Workers register them when they start.",
        row: (type) => ({
          TYPE: type.name,
          TITLE: type.title,
          POOL: type.pool,
          PROTECTED: protectionOf(type),
        }),
      });
    });
  addProtectCommand(resources);
  addUnprotectCommand(resources);
}

function addProtectCommand(resources: Command): void {
  withConnection(resources.command("protect"))
    .description("refuse to delete rows of a table that something names")
    .argument("<type>", "type of the resources, as Severity")
    .argument("<table>", "table, as app.severity, which the role of the url owns")
    .argument("[column]", "unique column of the ids", "id")
    .action(async (type: string, table: string, id: string, options: ConnectionOptions) => {
      const url = directUrl(options.url, "resources protect");
      const changed = await withDeclared({ ...options, url }, (calls) =>
        calls.resources.protect(type, { table, id }),
      );
      report(options, changed, `${type} is protected.`, `${type} was protected already.`);
    });
}

function addUnprotectCommand(resources: Command): void {
  withConnection(resources.command("unprotect"))
    .description("allow rows of a protected table to be deleted again")
    .argument("<type>", "type of the resources")
    .action(async (type: string, options: ConnectionOptions) => {
      const url = directUrl(options.url, "resources unprotect");
      const changed = await withDeclared({ ...options, url }, (calls) =>
        calls.resources.unprotect(type),
      );
      report(options, changed, `${type} is not protected any more.`, `${type} was not protected.`);
    });
}

function report({ json }: ConnectionOptions, changed: boolean, done: string, idle: string): void {
  if (json === true) printJson({ changed });
  else remark(changed ? done : idle);
}

function protectionOf({ protectedTable, protectedColumn }: ResourceType): string {
  if (protectedTable === null) return "";
  return protectedTable === "" ? "(dropped)" : `${protectedTable} (${protectedColumn ?? ""})`;
}
