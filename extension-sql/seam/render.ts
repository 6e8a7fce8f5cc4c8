/** TypeScript of the calls of one room: a constant a function, and a row type for each composite type. */
import type { CallRules, RowRules } from "./functions.ts";
import type { SqlColumn, SqlFunction, SqlParameter, SqlSources } from "./source.ts";

/**
 * How the driver gives a column, as `connection/column-types.ts` reads it. int8 is read as text, so that it is the same
 * in JSON, as which a transaction of the caller's reads it.
 */
export const TYPE_OF_COLUMN: Readonly<Record<string, string>> = {
  bigint: "string",
  uuid: "string",
  text: "string",
  integer: "number",
  "double precision": "number",
  boolean: "boolean",
  timestamptz: "Date",
  json: "unknown",
  jsonb: "unknown",
  void: "unknown",
};

/** How the SDK passes a parameter. JSON goes out as text, instants as ISO text, intervals as seconds. */
const TYPE_OF_PARAMETER: Readonly<Record<string, string>> = {
  ...TYPE_OF_COLUMN,
  numeric: "number",
  json: "string",
  jsonb: "string",
  timestamptz: "string",
  interval: "number",
  name: "string",
  regclass: "string",
};

/** Types of the SDK that rules name. */
const IMPORTS: Readonly<Record<string, string>> = {
  ErrorRecord: "../../../core/error-record.ts",
  ChangedTrigger: "../../../protocol/triggers.ts",
  OwnFleetMap: "../../../protocol/shards.ts",
  TriggerDelivery: "../../../protocol/triggers.ts",
  TriggerFacts: "../../../protocol/triggers.ts",
  TriggerMatch: "../../../protocol/triggers.ts",
  UncommonCommit: "../../../protocol/commit.ts",
};

function importsOf(code: string): string[] {
  const used = Object.keys(IMPORTS).filter((type) =>
    new RegExp(`: (?:readonly )?${type}\\b`).test(code),
  );
  return [...new Set(used.map((type) => IMPORTS[type]))].map((path) => {
    const types = used.filter((type) => IMPORTS[type] === path);
    return `import type { ${types.join(", ")} } from "${path}";`;
  });
}

interface OutColumn {
  readonly as: string;
  readonly sql: string;
  readonly type: string;
}

/** Imports of a room, given the types of calls that it names besides `Call`. */
type ImportCalls = (types: readonly string[]) => string;

const namesOf = (types: readonly string[]): string =>
  types.map((type) => `type ${type}`).join(", ");

export const OWN_CALLS: ImportCalls = (types) =>
  [
    `import type { Call } from "../../../protocol/rooms.ts";`,
    `import { ${["call", ...(types.length === 0 ? [] : [namesOf(types)])].join(", ")} } from "../connection/call.ts";`,
  ].join("\n");

export const CALLS_OF_SDK: ImportCalls = (types) =>
  `import { call, ${namesOf(["Call", ...types])} } from "@oxbow/sdk/internal/rooms";`;

export function renderRoom(
  calls: Readonly<Record<string, CallRules>>,
  sources: SqlSources,
  importCalls: ImportCalls,
): string {
  const made = Object.entries(calls).map(([name, rules]) =>
    toCall(sources.function(name), rules, sources),
  );
  const parts = made
    .map((call) => {
      const alike = made.filter(({ row }) => row !== undefined && row === call.row);
      const [first = call] = alike;
      if (columnsSql(first.out) !== columnsSql(call.out)) {
        throw new Error(
          `${call.name} has other rules for the rows of ${call.row} than ${first.name}.`,
        );
      }
      const isShared = alike.length > 1;
      return `${first === call ? rowType(call, isShared) : ""}${constant(call, isShared)}`;
    })
    .join("\n");
  const types = ["Numbers", "Texts"].filter((type) => new RegExp(`: ${type}\\b`).test(parts));
  return [
    "/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */",
    ...importsOf(parts),
    importCalls(types),
    "",
    parts,
  ].join("\n");
}

interface RoomCall {
  readonly name: string;
  readonly source: SqlFunction;
  readonly rules: CallRules;
  /** Name of the rows, in snake case; undefined for a value. */
  readonly row: string | undefined;
  readonly out: readonly OutColumn[];
}

function toCall(source: SqlFunction, rules: CallRules, sources: SqlSources): RoomCall {
  const { aggregate, as: name = source.name } = rules;
  const columns = sources.columns(source.returns);
  const row = aggregate?.name ?? (columns === undefined ? undefined : source.returns);
  const out = outColumns(columns ?? [], rules.row ?? { add: aggregate?.columns ?? {} });
  return { name, source, rules, row, out };
}

/** The type of the rows of a call, and their columns if other calls have the same. */
function rowType({ row, out }: RoomCall, isShared: boolean): string {
  if (row === undefined) return "";
  const fields = out.map(({ as, type }) => `readonly ${as}: ${type};`).join("\n");
  const type = `export interface ${pascal(row)}Row {\n${fields}\n}\n\n`;
  return isShared ? `${type}const ${camel(row)}Columns = \`${columnsSql(out)}\`;\n\n` : type;
}

function constant(call: RoomCall, isShared: boolean): string {
  const { name, source, rules, row } = call;
  const varying = source.parameters.filter(
    (parameter) =>
      rules.leaveOut?.includes(parameter.name) !== true &&
      rules.fixed?.[parameter.name] === undefined,
  );
  const tuple = varying.map((parameter) => parameterType(parameter, rules)).join(", ");
  const rows =
    row === undefined ? `{ readonly value: ${valueType(source, rules)} }` : `${pascal(row)}Row`;
  const text = statement(call, varying, isShared);
  return `export const ${camel(name)}: Call<readonly [${tuple}], ${rows}> = call("${name}", \`${text}\`);\n`;
}

function statement(
  { source, rules, row, out }: RoomCall,
  varying: readonly SqlParameter[],
  isShared: boolean,
): string {
  const { name, returns, isSet } = source;
  const given = argumentsOf(source, varying, rules);
  const cast = returns === "bigint" ? (rules.value === "number" ? "::float8" : "::text") : "";
  const called = (before: string, after: string): string => {
    const line = `${before}queue.${name}(${given.join(", ")})${after}`;
    return line.length < LINE ? line : `${before}queue.${name}(\n    ${wrap(given)})${after}`;
  };
  if (row === undefined && !isSet) return called("select ", `${cast} as value`);
  const select =
    row === undefined ? `value${cast}` : isShared ? `\${${camel(row)}Columns}` : columnsSql(out);
  const answer = TYPE_OF_COLUMN[returns] === undefined ? "answer" : "answer (value)";
  const from =
    rules.each === undefined
      ? "from "
      : `from unnest($1::${typeOf(source, rules.each)}[]) as each (item)\n  cross join lateral `;
  return `select ${select}\n  ${called(from, ` as ${answer}`)}`;
}

const columnsSql = (out: readonly OutColumn[]): string =>
  wrap(out.map(({ as, sql }) => (sql === as ? sql : `${sql} as "${as}"`)));

function argumentsOf(
  source: SqlFunction,
  varying: readonly SqlParameter[],
  rules: CallRules,
): string[] {
  return source.parameters.flatMap((parameter) => {
    const { name } = parameter;
    const position = varying.indexOf(parameter) + 1;
    const fixed = rules.fixed?.[name];
    if (fixed !== undefined) return `${name} => ${fixed}`;
    if (position === 0) return [];
    if (rules.each === name) return `${name} => each.item`;
    return `${name} => ${parameterSql(parameter, position, rules)}`;
  });
}

const typeOf = ({ parameters }: SqlFunction, name: string): string =>
  parameters.find((parameter) => parameter.name === name)?.type ?? "unknown";

function parameterSql(
  { name, type, default: preset }: SqlParameter,
  position: number,
  rules: CallRules,
): string {
  const value = `$${position}`;
  const convert = rules.convert?.[name];
  if (convert !== undefined) return convert.replace("$", () => value);
  if (type === "interval") return `${value}::float8 * interval '1 second'`;
  const typed = `${value}::${type}`;
  return rules.nullIsDefault === true && preset !== undefined
    ? `coalesce(${typed}, ${preset})`
    : typed;
}

function parameterType({ name, type }: SqlParameter, rules: CallRules): string {
  const element = TYPE_OF_PARAMETER[type.replace(/\[\]$/, "")];
  if (element === undefined) throw new Error(`A parameter can't be of type ${type} yet.`);
  if (rules.each === name) return `${camel(name)}s: readonly ${element}[]`;
  if (rules.asText?.includes(name) === true) return `${camel(name)}: string | null`;
  if (!type.endsWith("[]")) return `${camel(name)}: ${element} | null`;
  return `${camel(name)}: ${element === "number" ? "Numbers" : "Texts"} | null`;
}

function outColumns(
  columns: readonly SqlColumn[],
  { only, columns: rules, add }: RowRules,
): OutColumn[] {
  const own = columns
    .filter(({ name }) => only === undefined || only.includes(name))
    .map((column): OutColumn => {
      const { as = camel(column.name), type, sql = column.name } = rules?.[column.name] ?? {};
      const values = column.values.map((value) => JSON.stringify(value)).join(" | ");
      const base = type ?? (values === "" ? TYPE_OF_COLUMN[column.type] : values);
      if (base === undefined)
        throw new Error(`${column.name} of type ${column.type} needs a rule.`);
      const isNullable = column.isNullable && base !== "unknown";
      const isId = sql === column.name && column.type === "bigint";
      return {
        as,
        sql: isId ? `${sql}::text` : quoted(sql),
        type: isNullable ? `${base} | null` : base,
      };
    });
  const added = Object.entries(add ?? {}).map(([as, { type, sql }]) => ({ as, type, sql }));
  return [...own, ...added];
}

function valueType({ returns, name }: SqlFunction, { value }: CallRules): string {
  const type = value ?? TYPE_OF_COLUMN[returns];
  if (type === undefined) throw new Error(`The result of ${name}, ${returns}, needs a rule.`);
  return type;
}

/** `position` is a word of SQL. */
const quoted = (sql: string): string => (sql === "position" ? '"position"' : sql);

/** Most characters of a line. */
const LINE = 96;

function wrap(items: readonly string[]): string {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + item.length < LINE)
      lines.splice(-1, 1, `${last}, ${item}`);
    else lines.push(item);
  }
  return lines.join(",\n    ");
}

export const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
const pascal = (name: string): string => camel(`_${name}`);
