/**
 * How the columns of Oxbow's own answers are read, whatever parsers the program has set for all of the driver: many
 * programs make numbers of bigint, which a receipt doesn't fit in, or leave dates as text. The program's queries in
 * `step.tx` keep its parsers.
 */
import type pg from "pg";

/** Ids of types, which are the same in every database. Source: pg_type.dat of PostgreSQL. */
const BOOL = 16;
const INT2 = 21;
const INT4 = 23;
const JSON_TEXT = 114;
const FLOAT8 = 701;
const TIMESTAMPTZ = 1184;
const JSONB = 3802;

const PARSERS = new Map<number, (text: string) => unknown>([
  [BOOL, (text) => text === "t"],
  [INT2, Number],
  [INT4, Number],
  [FLOAT8, Number],
  [JSON_TEXT, parseJson],
  [JSONB, parseJson],
  [TIMESTAMPTZ, toDate],
]);

const asText = (text: string): string => text;

/** Returns the text of values of all other types, such as bigint. */
export const columnTypes: pg.CustomTypesConfig = {
  getTypeParser: (type: number) => PARSERS.get(type) ?? asText,
};

function parseJson(text: string): unknown {
  return JSON.parse(text);
}

/** `2026-11-21 13:41:00.123456+00`, with minutes in the offset where its zone has them. */
function toDate(text: string): Date | number {
  if (text.endsWith("infinity")) return text.startsWith("-") ? -Infinity : Infinity;
  const yearEnd = text.indexOf("-");
  // Beyond 9999, the standard wants a sign and six digits.
  const year = yearEnd === 4 ? "" : `+${"0".repeat(6 - yearEnd)}`;
  const minutes = text.at(-3) === ":" ? "" : ":00";
  return new Date(`${year}${text.replace(" ", "T")}${minutes}`);
}
