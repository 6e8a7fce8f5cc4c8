/**
 * Makes `docs/reference/sql.md` of the sources of the SQL functions: signatures and comments, the same text that
 * `\df+ queue.*` shows. Run it by `make docs`; a test fails while the page is out of date.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const SOURCES = new URL("../extension-sql/src/", import.meta.url);
const PAGE = new URL("reference/sql.md", import.meta.url);

const ROOMS = [
  { folder: "queue", title: "Queue", about: "Standard and FIFO queues of messages." },
  {
    folder: "topic",
    title: "Topic",
    about: "Messages that are published once and delivered to every subscription that matches.",
  },
  {
    folder: "workflow",
    title: "Workflow",
    about: "Runs of workflows: functions for clients and for workers.",
  },
  {
    folder: "flow_control",
    title: "Flow control",
    about: "Limits on how many runs execute, how fast they begin, and in which order.",
  },
  {
    folder: "schedule",
    title: "Schedule",
    about: "Runs that start at the ticks of a cron expression or an interval.",
  },
  {
    folder: "definition",
    title: "Definition",
    about: "Workflows as data: drafts, published versions, and their runs.",
  },
  {
    folder: "trigger",
    title: "Trigger",
    about:
      "Events that start runs of definitions, and what became of them. See [Triggers](../declared/triggers.md).",
  },
  {
    folder: "resource",
    title: "Resource",
    about:
      "Things of the application that definitions name, and their protection. See [Resources](../declared/resources.md).",
  },
  {
    folder: "approval",
    title: "Approvals",
    about:
      "Requests of runs to people, and their decisions. See [Approvals](../declared/approvals.md).",
  },
  {
    folder: "endpoint",
    title: "Endpoint",
    about: "Urls of functions to which servers push runs: functions for people and for servers.",
  },
  {
    folder: "sqs",
    title: "SQS",
    about: "Queues as clients of SQS see them, for the server that answers these.",
  },
  {
    folder: "catalog",
    title: "Catalog",
    about: "The node types that workers have registered, for checkers and editors.",
  },
  {
    folder: "fork",
    title: "Fork",
    about: "The identity of a database, and what a copy of it may do. See [Fork](../fork.md).",
  },
  {
    folder: "shard",
    title: "Shard",
    about:
      "Databases that share work as the shards of a fleet, and what is at home where. See [Shards](../guides/shards.md).",
  },
  {
    folder: "audit",
    title: "Audit",
    about: "Who changed what by hand. See [The audit](../operate/audit.md).",
  },
  { folder: "admin", title: "Administration", about: "Installation, upgrade and invariants." },
  { folder: "access", title: "Access", about: "Roles, and their privileges on queues." },
] as const;

const PUBLIC = new Set(ROOMS.flatMap(({ folder }) => sources(folder)).map(({ name }) => name));

/** The text of the page. */
export function sqlReference(): string {
  const rooms = ROOMS.map((room) => ({ ...room, functions: sources(room.folder) }));
  return [
    "# SQL reference",
    "",
    "<!-- Made by `make docs` from the comments in extension-sql/src: change them there. -->",
    "",
    "All functions are in schema `queue`. They take arguments by position or by name (`max_messages => 10`), and work in the caller's transaction. A *receipt* proves one delivery; a dead receipt changes nothing. See [errors](errors.md) for error codes and the [glossary](glossary.md) for terms.",
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
    "Composite types that functions return.",
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
  return [`### ${name}`, "", "```sql", signature, "```", "", ...paragraphs(comment)];
}

function describeType({ name, text }: Source): string[] {
  const columns = part(name, text, /^create type (queue\.[\s\S]*?\n\));/m);
  const comment = part(name, text, /^comment on type [\w.]+ is\s+'((?:[^']|'')*)';/m);
  const fields = text.matchAll(/^comment on column queue\.\w+\."?(\w+)"? is\s+'((?:[^']|'')*)';/gm);
  return [
    `### ${name}`,
    "",
    "```sql",
    columns,
    "```",
    "",
    ...paragraphs(
      [comment, ...[...fields].map(([, field, about]) => `${field}: ${about}`)]
        .join("\n")
        .replaceAll("''", "'"),
    ),
  ];
}

/** `max_messages: …`, or several parameters with the same meaning. Sentences have spaces and no commas before a colon. */
const PARAMETERS = /^((?:[a-z]\w*(?:\.{3})?)(?:, [a-z]\w*(?:\.{3})?)*): /;

/** A comment as paragraphs; its lines about parameters become a list, and their items a list within it. */
function paragraphs(comment: string): string[] {
  const lines = comment
    .split("\n")
    .map((line) => linked(line.replaceAll(/[<*]|__/g, (special) => `\\${special}`)));
  return lines.flatMap((line, index) => {
    const followsList = isListed(lines[index + 1]);
    if (isListed(line)) {
      const item = line.startsWith("- ")
        ? `  ${line.replace(/^- ([\w ()]+):/, "- **$1**:")}`
        : `- ${line.replace(PARAMETERS, "**$1**: ")}`;
      return followsList ? [item] : [item, ""];
    }
    return [line.replace(/^(Returns|Errors|Touches)\b/, "**$1**"), ""];
  });
}

/** Mentions of public functions link to their sections. */
function linked(text: string): string {
  return text.replaceAll(/\b([a-z][a-z_]*)\(\)/g, (mention, name: string) =>
    PUBLIC.has(name) ? `[${mention}](#${name})` : mention,
  );
}

function isListed(line: string | undefined): boolean {
  return line !== undefined && (line.startsWith("- ") || PARAMETERS.test(line));
}

function part(name: string, text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`${name}.sql has nothing like ${String(pattern)}.`);
  return found.trim();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  writeFileSync(PAGE, sqlReference());
}
