/** Reads signatures and composite types from the sources of the SQL functions. */
import { readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";

const SOURCES = fileURLToPath(new URL("../src/", import.meta.url));

export interface SqlParameter {
  readonly name: string;
  readonly type: string;
  /** SQL; undefined without a default, or for null. */
  readonly default: string | undefined;
}

export interface SqlFunction {
  readonly name: string;
  readonly parameters: readonly SqlParameter[];
  /** Without `queue.`: a composite type, or a scalar one. */
  readonly returns: string;
  readonly isSet: boolean;
}

export interface SqlColumn {
  readonly name: string;
  readonly type: string;
  readonly isNullable: boolean;
  /** The only texts that it has; empty: any. */
  readonly values: readonly string[];
  /** Its comment; empty without one. */
  readonly about: string;
}

export interface SqlSources {
  function(name: string): SqlFunction;
  /** Undefined for a scalar type. */
  columns(type: string): readonly SqlColumn[] | undefined;
}

export function readSources(): SqlSources {
  const files = readdirSync(SOURCES, { recursive: true, encoding: "utf8" })
    .filter((path) => path.endsWith(".sql") && !path.includes("/templates/"))
    .map((path) => [path, readFileSync(join(SOURCES, path), "utf8")] as const);
  const types = new Map<string, readonly SqlColumn[]>();
  const functions = new Map<string, SqlFunction>();
  for (const [path, text] of files) {
    const name = basename(path, ".sql");
    if (text.startsWith("create type")) types.set(name, columnsOf(name, text));
    else if (text.startsWith("create or replace function")) functions.set(name, functionOf(text));
  }
  return {
    function(name) {
      const found = functions.get(name);
      if (found === undefined) throw new Error(`There is no SQL function ${name}.`);
      return found;
    },
    columns: (type) => types.get(type),
  };
}

/** `name type default …` each, up to `returns`. */
function functionOf(text: string): SqlFunction {
  const [, name = "", list = "", set, returns = ""] =
    /^create or replace function queue\.(\w+)\((.*?)\)\s+returns (setof )?([\w. [\]]+?)\n/s.exec(
      text,
    ) ?? [];
  const parameters = splitList(list).map((item) => {
    const [declared = "", preset = "null"] = item.split(/\s+default\s+/);
    const [parameter = "", type = ""] = declared.split(/\s+(.*)/s);
    return { name: parameter, type, default: preset === "null" ? undefined : preset };
  });
  return { name, parameters, returns: returns.replace(/^queue\./, ""), isSet: set !== undefined };
}

/**
 * One a line: `name type`, with a note that PostgreSQL has no word for: `-- not null`, `-- may be null`, or the only texts
 * that it has: `-- delivered | buffered | null`.
 *
 * @throws Error for a column without a note.
 */
function columnsOf(type: string, text: string): SqlColumn[] {
  const comments = commentsOf(text);
  const lines = text
    .slice(text.indexOf("(") + 1, text.indexOf("\n)"))
    .trim()
    .split("\n");
  return lines.map((line) => {
    const [, name = "", columnType = "", note = ""] =
      /^\s*"?(\w+)"?\s+(.*?),?(?:\s+--\s+(.*))?$/.exec(line) ?? [];
    if (note === "") throw new Error(`${type}.${name}: add "-- not null" or "-- may be null".`);
    const notes = note.split(" | ");
    return {
      name,
      type: columnType,
      isNullable: notes.some((value) => value === "null" || value === "may be null"),
      values: notes.filter((value) => !/^(null|may be null|not null)$/.test(value)),
      about: comments.get(name) ?? "",
    };
  });
}

const commentsOf = (text: string): ReadonlyMap<string, string> =>
  new Map(
    [...text.matchAll(/^comment on column queue\.\w+\."?(\w+)"? is\s+'((?:[^']|'')*)';/gm)].map(
      ([, name = "", about = ""]) => [name, about.replaceAll("''", "'")],
    ),
  );

/** At commas outside of quotes: defaults hold no other brackets. */
const splitList = (list: string): string[] =>
  list
    .split(/,(?=(?:[^']*'[^']*')*[^']*$)/)
    .map((item) => item.trim())
    .filter((item) => item !== "");
