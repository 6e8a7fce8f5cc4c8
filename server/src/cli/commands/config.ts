/** `oxbow config`: values of the environment that definitions name. */
import type { Command } from "commander";
import { type ConnectionOptions, withDeclared, withConnection } from "../connection.ts";
import { printJson, printList, remark } from "../output.ts";
import { showJson, showTime } from "../show.ts";
import { readJson } from "../values.ts";

export function addConfigCommands(program: Command): void {
  const config = program
    .command("config")
    .description("list and set values of the environment that definitions name");
  withConnection(config.command("list"))
    .description("list the values")
    .action(async (options: ConnectionOptions) => {
      const values = await withDeclared(options, (calls) => calls.config.list());
      printList(values, options, {
        none: "No values. Set one: oxbow config set <name> <json>",
        row: ({ name, value, changedAt, changedBy }) => ({
          NAME: name,
          VALUE: showJson(value),
          CHANGED: showTime(changedAt),
          BY: changedBy,
        }),
      });
    });
  withConnection(config.command("set"))
    .description("set a value, which is no secret; runs in progress keep the former one")
    .argument("<name>", "name of the value, as documents use it")
    .argument("<json>", "value as JSON; - reads standard input")
    .action(async (name: string, text: string, options: ConnectionOptions) => {
      const value = await readJson(text, "value");
      const changed = await withDeclared(options, (calls) => calls.config.set(name, value));
      if (options.json === true) printJson({ changed });
      else remark(changed ? `Set ${name}.` : `${name} had this value.`);
    });
  withConnection(config.command("delete"))
    .description("delete a value that no published version names")
    .argument("<name>", "name of the value")
    .action(async (name: string, options: ConnectionOptions) => {
      const deleted = await withDeclared(options, (calls) => calls.config.delete(name));
      if (options.json === true) printJson({ deleted });
      else remark(deleted ? `Deleted ${name}.` : `There is no value ${name}.`);
    });
}
