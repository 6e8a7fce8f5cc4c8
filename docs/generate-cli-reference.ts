/**
 * Writes the commands of `docs/reference/cli.md` from the help of `oxbow`, between two markers of the page. Run it with
 * `make docs`; a test fails while the page is out of date.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { makeProgram } from "../server/src/cli/program.ts";

type Command = ReturnType<typeof makeProgram>;
type Option = Command["options"][number];
type Argument = Command["registeredArguments"][number];

const PAGE = new URL("reference/cli.md", import.meta.url);
const BEGIN =
  "<!-- Made by `make docs` from the help of the commands: change it in server/src/cli. -->";
const END = "<!-- End of the commands. -->";

/** Described once, in sections of the page. */
const CONNECTION = new Set(["--url", "--token", "--json"]);
const FILTERS = new Set(
  "--workflow --status --since --until --tag --version --paused --input --error-code --key".split(
    " ",
  ),
);

/** The text of the page. */
export function cliReference(): string {
  const page = readFileSync(PAGE, "utf8");
  const begin = page.indexOf(BEGIN);
  const end = page.indexOf(END);
  if (begin === -1 || end === -1) throw new Error("cli.md has lost the markers of its commands.");
  const sections = commandsOf(makeProgram()).flatMap(({ name, command }) =>
    describeCommand(name, command),
  );
  return `${page.slice(0, begin)}${[BEGIN, "", ...sections].join("\n")}\n${page.slice(end)}`;
}

interface NamedCommand {
  readonly name: string;
  readonly command: Command;
}

/** Commands that do something themselves, before their subcommands. */
function commandsOf(parent: Command, prefix = ""): NamedCommand[] {
  return parent.commands.flatMap((command) => {
    const name = `${prefix}${command.name()}`;
    const isGroup = command.commands.length > 0 && command.options.length === 0;
    return [...(isGroup ? [] : [{ name, command }]), ...commandsOf(command, `${name} `)];
  });
}

function describeCommand(name: string, command: Command): string[] {
  const longs = new Set(command.options.map(({ long }) => long ?? ""));
  const isFiltered = [...FILTERS].every((filter) => longs.has(filter));
  const options = command.options.filter(
    (option) => !isConnection(option) && !(isFiltered && FILTERS.has(option.long ?? "")),
  );
  const rows = [
    ...command.registeredArguments.map((argument) => [
      (argument.required ? "<>" : "[]").split("").join(nameOf(argument)),
      argument.description,
    ]),
    ...options.map((option) => [option.flags, describeOption(option)]),
  ].map(([flag = "", text = ""]) => `| \`${flag}\` | ${text.replaceAll("|", "\\|")} |`);
  if (isFiltered) rows.push("| | [filters](#filters) |");
  return [
    `### \`${name}\``,
    "",
    `${sentence(command.description())}${connectionOf(command)}`,
    "",
    ...(rows.length === 0 ? [] : ["| | |", "| --- | --- |", ...rows, ""]),
  ];
}

const nameOf = (argument: Argument): string =>
  `${argument.name()}${argument.variadic ? "..." : ""}`;

/** `--url` of `oxbow dev` has another meaning. */
const isConnection = ({ long, description }: Option): boolean =>
  CONNECTION.has(long ?? "") && !description.startsWith("use this database");

function describeOption({ description, defaultValue }: Option): string {
  const value = defaultValue as string | number | undefined;
  return value === undefined ? description : `${description} (default: ${value})`;
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

function connectionOf({ options }: Command): string {
  const isDirect = options.some(
    ({ long, description }) => long === "--url" && description.startsWith("database"),
  );
  return isDirect ? " Requires a direct connection to the database." : "";
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, cliReference());
}
