/** TypeScript of shapes: their types for the SDK, and the schemas of their fields for the server. */
import { camel, TYPE_OF_COLUMN } from "./render.ts";
import type { FieldRule, Shape, ShapeRoom } from "./shapes.ts";
import type { SqlColumn, SqlSources } from "./source.ts";

const MADE = "Made by `npm run build:seam` of extension-sql: change the sources there.";

const SCHEMA_OF_COLUMN: Readonly<Record<string, string>> = {
  bigint: "Id",
  text: "Type.String",
  integer: "Type.Integer",
  "double precision": "Type.Number",
  boolean: "Type.Boolean",
  timestamptz: "Instant",
  jsonb: "Json",
};

interface Field extends FieldRule {
  readonly name: string;
  readonly column: SqlColumn;
  readonly about: string;
}

export function renderTypes(room: ShapeRoom, sources: SqlSources): string {
  const fields = fieldsOf(room, sources);
  const aliases = new Map(
    [...fields.values()]
      .flat()
      .flatMap(({ alias, column }) =>
        alias === undefined ? [] : [[alias.name, { alias, column }]],
      ),
  );
  return [
    `/** Rows that users see. ${MADE} */`,
    ...room.imports,
    ...[...aliases.values()].map(
      ({ alias, column }) =>
        `\n${doc(alias.about)}export type ${alias.name} = ${literals(column)};`,
    ),
    ...[...fields].flatMap(([name, own]) => [
      `\n${doc(room.shapes[name]?.about ?? "")}export interface ${name} {`,
      ...own.map(
        (field) =>
          `${doc(field.about)}readonly ${field.name}${field.isOptional ? "?" : ""}: ${typeOf(field)};`,
      ),
      "}",
      "\n/** Its instants, which JSON has as text. */",
      `export const ${constant(name)}_INSTANTS = ${JSON.stringify(
        own.filter(({ column }) => column.type === "timestamptz").map((field) => field.name),
      )} as const satisfies readonly (keyof ${name})[];`,
    ]),
  ].join("\n");
}

export function renderSchemas(room: ShapeRoom, sources: SqlSources): string {
  const described = new Map<string, string>();
  const shapes = [...fieldsOf(room, sources)].map(([name, own]) => {
    const shown = own.filter(({ isOptional }) => isOptional !== true);
    const lines = shown.map((field) => {
      const line = `${field.name}: ${schemaOf(field)},`;
      const before = described.get(line);
      if (before !== undefined) return `${field.name}: ${before}.${field.name},`;
      if (field.about !== "") described.set(line, `${name}Fields`);
      return line;
    });
    return `export const ${name}Fields = {\n${lines.join("\n")}\n};`;
  });
  const text = shapes.join("\n\n");
  const names = ["about", "Id", "Instant", "Json", "Nullable", "RunStatus"].filter((name) =>
    new RegExp(`\\b${name}\\b[(,\\s)]`).test(text),
  );
  return [
    `/** Fields of rows in answers. ${MADE} */`,
    `import { Type } from "typebox";`,
    `import { ${names.join(", ")} } from "../../http/schemas.ts";`,
    "",
    text,
  ].join("\n");
}

function fieldsOf({ shapes }: ShapeRoom, sources: SqlSources): Map<string, readonly Field[]> {
  const documented = new Map<string, string>();
  return new Map(
    Object.entries(shapes).map(([name, shape]) => {
      const columns = columnsOf(shape, sources);
      for (const { name: column, about } of columns) {
        if (about !== "" && !documented.has(column)) documented.set(column, about);
      }
      const fields = columns.map((column): Field => {
        const rule = shape.fields[column.name] ?? {};
        const about = column.about === "" ? (documented.get(column.name) ?? "") : column.about;
        return { ...rule, name: rule.as ?? camel(column.name), column, about };
      });
      return [name, fields];
    }),
  );
}

function columnsOf({ of, fields }: Shape, sources: SqlSources): readonly SqlColumn[] {
  const columns = sources.columns(of) ?? [];
  const unknown = Object.keys(fields).find(
    (name) => !columns.some((column) => column.name === name),
  );
  if (unknown !== undefined) throw new Error(`The type ${of} has no column ${unknown}.`);
  return columns;
}

function typeOf({ alias, type, column, isNullable }: Field): string {
  const known = alias?.name ?? type ?? (literals(column) || TYPE_OF_COLUMN[column.type]);
  if (known === undefined) throw new Error(`${column.name} of type ${column.type} needs a rule.`);
  return (isNullable ?? column.isNullable) && known !== "unknown" ? `${known} | null` : known;
}

function schemaOf({ schema, column, about }: Field): string {
  const known = schema ?? SCHEMA_OF_COLUMN[column.type];
  if (known === undefined) throw new Error(`${column.name} of type ${column.type} needs a schema.`);
  const isMade = known.startsWith("Type.");
  const text = JSON.stringify(about);
  const plain = isMade
    ? `${known}(${about === "" ? "" : `{ description: ${text} }`})`
    : about === ""
      ? known
      : `about(${known}, ${text})`;
  return column.isNullable && known !== "Json" ? `Nullable(${plain})` : plain;
}

const literals = ({ values }: SqlColumn): string =>
  values.map((value) => JSON.stringify(value)).join(" | ");

const LINE = 112;

function doc(about: string): string {
  if (about.length <= LINE) return about === "" ? "" : `/** ${about} */\n`;
  const lines = about.match(new RegExp(`.{1,${LINE}}(?= |$)`, "g")) ?? [];
  return `/**\n${lines.map((line) => ` * ${line.trim()}\n`).join("")} */\n`;
}

const constant = (name: string): string =>
  name.replaceAll(/(?<=[a-z])[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
