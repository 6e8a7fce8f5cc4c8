/**
 * Makes `docs/reference/sql.md` of the sources of the SQL functions: signatures and comments, the same text that
 * `\df+ queue.*` shows. Run it by `make docs`; a test fails while the page is out of date.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SOURCES = new URL("../extension-sql/src/", import.meta.url);
const PAGE = new URL("reference/sql.md", import.meta.url);

const ROOMS = [
  { folder: "queue", title: "Queue", about: "Messages, with or without order." },
  {
    folder: "topic",
    title: "Topic",
    about: "Messages that go wherever somebody asked for them.",
  },
  {
    folder: "workflow",
    title: "Workflow",
    about: "Runs: functions for clients, then for workers.",
  },
  {
    folder: "flow_control",
    title: "Flow control",
    about: "Limits on how many runs begin, how often and in which order.",
  },
  {
    folder: "schedule",
    title: "Schedule",
    about: "Runs that the clock starts.",
  },
  {
    folder: "fork",
    title: "Fork",
    about: "Who a database is, and what a copy of one may do. See [Fork](../fork.md).",
  },
  { folder: "admin", title: "Administration", about: "The installation itself." },
  { folder: "access", title: "Access", about: "Roles, and their privileges on queues." },
] as const;

/** The text of the page. */
export function sqlReference(): string {
  const rooms = ROOMS.map((room) => ({ ...room, functions: sources(room.folder) }));
  return [
    "# SQL reference",
    "",
    "<!-- Made by `make docs` from the comments in extension-sql/src: change them there. -->",
    "",
    "Everything is in schema `queue`. Each function takes its arguments by position or by name (`max_messages => 10`), and works in the caller's transaction. A *receipt* proves one delivery; a dead one changes nothing. Errors are explained in [errors](errors.md), words in the [glossary](glossary.md).",
    "",
    ...rooms.map(
      ({ title, functions }) =>
        `- [${title}](#${title.toLowerCase().replaceAll(" ", "-")}): ${functions.map(link).join(", ")}`,
    ),
    "- [Types](#types)",
    "",
    ...rooms.flatMap(({ title, about, functions }) => [
      `## ${title}`,
      "",
      about,
      "",
      ...functions.flatMap((source) => describeFunction(source)),
    ]),
    "## Types",
    "",
    "What the functions return.",
    "",
    ...returnedTypes(rooms.flatMap(({ functions }) => functions)).flatMap((source) =>
      describeType(source),
    ),
  ].join("\n");
}

interface Source {
  readonly name: string;
  readonly text: string;
}

function sources(folder: string): Source[] {
  const directory = new URL(`${folder}/`, SOURCES);
  if (!existsSync(directory)) return [];
  return readdirSync(directory)
    .filter((file) => file.endsWith(".sql"))
    .toSorted()
    .map((file) => ({
      name: file.replace(/\.sql$/, ""),
      text: readFileSync(new URL(file, directory), "utf8"),
    }));
}

/** Types that a public function returns; the others are between the functions. */
function returnedTypes(functions: readonly Source[]): Source[] {
  const types = ROOMS.flatMap(({ folder }) => sources(`${folder}/types`));
  const inOrder = types.toSorted((a, b) => a.name.localeCompare(b.name));
  return inOrder.filter(({ name }) =>
    functions.some(({ text }) => new RegExp(`^returns (setof )?queue\\.${name}$`, "m").test(text)),
  );
}

function link({ name }: Source): string {
  return `[${name}](#${name})`;
}

function describeFunction({ name, text }: Source): string[] {
  const signature = part(name, text, /^create or replace function (queue\.[\s\S]*?)\nlanguage /m);
  const comment = part(name, text, /^\$comment\$([\s\S]*?)\$comment\$;/m);
  return [
    `### ${name}`,
    "",
    "```sql",
    signature,
    "```",
    "",
    ...comment.split("\n").flatMap(paragraph),
  ];
}

function describeType({ name, text }: Source): string[] {
  const columns = part(name, text, /^create type (queue\.[\s\S]*?\n\));/m);
  const comment = part(name, text, /^comment on type [\w.]+ is\s+'([\s\S]*)';/m);
  return [
    `### ${name}`,
    "",
    "```sql",
    columns,
    "```",
    "",
    ...paragraph(comment.replaceAll("''", "'")),
  ];
}

/** `Errors: …` and the like get their first word in bold. */
function paragraph(line: string): string[] {
  const escaped = line.replaceAll(/[<*]|__/g, (special) => `\\${special}`);
  return [escaped.replace(/^(Returns|Errors|Touches)\b/, "**$1**"), ""];
}

function part(name: string, text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`${name}.sql has nothing like ${String(pattern)}.`);
  return found.trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, sqlReference());
}
