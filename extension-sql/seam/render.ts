/** TypeScript of the calls of one room: a row type where a function returns one, and a constant a function. */
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
  const parts = Object.entries(calls)
    .map(([name, rules]) => renderCall(sources.function(name), rules, sources))
    .join("\n");
  const types = ["LimitedCall", "Numbers", "Texts"].filter((type) =>
    new RegExp(`: ${type}\\b`).test(parts),
  );
  return [
    "/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */",
    ...importsOf(parts),
    importCalls(types),
    "",
    parts,
  ].join("\n");
}

function renderCall(source: SqlFunction, rules: CallRules, sources: SqlSources): string {
  const columns = sources.columns(source.returns);
  const out = outColumns(columns ?? [], rules.row ?? { add: rules.aggregate ?? {} });
  const { as: callName = source.name } = rules;
  const row = `${pascal(callName)}Row`;
  const rowType = out.length === 0 ? `{ readonly value: ${valueType(source, rules)} }` : row;
  const declared =
    out.length === 0
      ? ""
      : `export interface ${row} {\n${out.map(({ as, type }) => `readonly ${as}: ${type};`).join("\n")}\n}\n\n`;
  const varying = source.parameters.filter(
    ({ name }) => rules.leaveOut?.includes(name) !== true && rules.fixed?.[name] === undefined,
  );
  const tuple = `readonly [${varying.map((parameter) => parameterType(parameter, rules)).join(", ")}]`;
  const constant = (suffix: "" | "Within", parameters: string, limit?: number): string =>
    `export const ${camel(callName)}${suffix}: ${suffix === "" ? "Call" : "LimitedCall"}<${parameters}, ${rowType}> = call("${callName}${snake(suffix)}", \`${statement(source, out, varying, rules, limit)}\`);\n`;
  if (rules.canWait === undefined) return declared + constant("", tuple);
  const shared = `${pascal(callName)}Parameters`;
  return [
    `${declared}export type ${shared} = ${tuple};\n`,
    ...(rules.canWait === true ? [constant("", shared)] : []),
    constant("Within", shared, varying.length + 1),
  ].join("\n");
}

/** @param limit Number of the parameter that limits how long the function waits for locks. */
function statement(
  source: SqlFunction,
  out: readonly OutColumn[],
  varying: readonly SqlParameter[],
  rules: CallRules,
  limit: number | undefined,
): string {
  const { name, returns, isSet } = source;
  const called = `queue.${name}(\n    ${wrap(argumentsOf(source, varying, rules, limit))})`;
  const cast = returns === "bigint" ? (rules.value === "number" ? "::float8" : "::text") : "";
  if (out.length === 0 && !isSet) return `select ${called}${cast} as value`;
  const columns = out.map(({ as, sql }) => (sql === as ? sql : `${sql} as "${as}"`));
  const select = out.length === 0 ? `value${cast}` : wrap(columns);
  const answer = TYPE_OF_COLUMN[returns] === undefined ? "answer" : "answer (value)";
  const each =
    rules.each === undefined
      ? ""
      : `unnest($1::${typeOf(source, rules.each)}[]) as each (item)\n  cross join lateral `;
  return `select ${select}\n  from ${each}${called} as ${answer}`;
}

function argumentsOf(
  source: SqlFunction,
  varying: readonly SqlParameter[],
  rules: CallRules,
  limit: number | undefined,
): string[] {
  return source.parameters.flatMap((parameter) => {
    const { name } = parameter;
    const position = varying.indexOf(parameter) + 1;
    const fixed = rules.fixed?.[name];
    if (fixed !== undefined) return `${name} => ${fixed}`;
    if (position === 0) return [];
    if (rules.each === name) return `${name} => each.item`;
    const value = parameterSql(parameter, position, rules);
    if (limit === undefined || position > 1) return `${name} => ${value}`;
    // The argument is evaluated before the function is called.
    const isLimited = `pg_catalog.set_config('lock_timeout', $${limit}::text, true) is not null`;
    return `${name} => case when ${isLimited} then ${value} end`;
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

/** Lines of a hundred characters. */
function wrap(items: readonly string[], indent = "    "): string {
  const lines: string[] = [];
  for (const item of items) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + item.length < 96)
      lines.splice(-1, 1, `${last}, ${item}`);
    else lines.push(item);
  }
  return lines.length === 1 ? (lines[0] ?? "") : lines.join(`,\n${indent}`);
}

export const camel = (name: string): string =>
  name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
const pascal = (name: string): string => camel(`_${name}`);
const snake = (suffix: string): string =>
  suffix.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
