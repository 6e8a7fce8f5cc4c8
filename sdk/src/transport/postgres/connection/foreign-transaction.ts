/**
 * One call inside a transaction of the caller's, through the driver or ORM of the caller.
 *
 * Drivers differ in how they write a parameter (postgres.js turns the text of a JSON value into a JSON string; Prisma
 * has no arrays of JSON) and in how they read a column (as a number, a bigint or a Date, under a name in camel case).
 * Nothing of that is left to them:
 *   F1  Each parameter is text, or null, and the statement casts it: `$1::jsonb` goes out as `$1::text::jsonb`.
 *   F2  The answer is one column of one row, of type text: the rows as JSON.
 *   F3  An error that the driver has wrapped is found by its SQLSTATE.
 */
import { InvalidArgument } from "../../../core/errors.ts";
import { toOxbowError, UNTRANSLATABLE } from "../../../protocol/sqlstate.ts";
import type { TransactionClient } from "../../../protocol/transaction.ts";
import { explainNul, parameterText } from "./arguments.ts";
import type { Call } from "../../../protocol/rooms.ts";

/** The texts are few, and constants. */
const texts = new Map<string, string>();

export async function askInTransaction<Row>(
  tx: TransactionClient,
  { name, text }: Pick<Call, "name" | "text">,
  values: readonly unknown[],
): Promise<Row[]> {
  let result: unknown;
  try {
    result = await tx.query(foreignTextOf(name, text), values.map(parameterText));
  } catch (error) {
    const reported = databaseErrorIn(error) ?? error;
    explainNul(reported, text, values);
    throw toOxbowError(reported);
  }
  return rowsIn(result) as Row[];
}

function foreignTextOf(name: string, text: string): string {
  const known = texts.get(name);
  if (known !== undefined) return known;
  const cast = text.replaceAll(/\$\d+(?=::)/g, "$&::text");
  const made = `select json_agg(answer)::text as answer from (${cast}) as answer`;
  texts.set(name, made);
  return made;
}

function rowsIn(result: unknown): unknown[] {
  const rows = propertyOf(result, "rows");
  const answer = Array.isArray(rows) ? propertyOf(rows[0], "answer") : undefined;
  if (answer === null) return [];
  if (typeof answer === "string") return JSON.parse(answer) as unknown[];
  throw new InvalidArgument(
    `The query() of \`tx\` has to resolve with { rows: [{ … }] }, as that of pg does, but resolved with ` +
      `${Array.isArray(result) ? "an array" : describe(result)}. ` +
      "docs/guides/transactions.md shows the few lines that each driver takes.",
  );
}

const describe = (value: unknown): string =>
  typeof value === "object" && value !== null
    ? `an object of ${Object.keys(value).slice(0, 10).join(", ") || "nothing"}`
    : String(value);

/** Where drivers keep the error of the database: Drizzle, TypeORM and MikroORM, Prisma. */
const WRAPPERS = ["cause", "driverError", "meta", "driverAdapterError", "originalError"] as const;
const DEEPEST = 5;

/** The error of the database, with its SQLSTATE as `code`, in that of a driver. */
function databaseErrorIn(error: unknown, depth = 0): Error | undefined {
  if (typeof error !== "object" || error === null || depth > DEEPEST) return undefined;
  for (const name of ["code", "originalCode"]) {
    const code = propertyOf(error, name);
    if (typeof code !== "string") continue;
    if (!/^OX\d{3}$/.test(code) && !UNTRANSLATABLE.includes(code)) continue;
    if (error instanceof Error && name === "code") return error;
    const message = textOf(error, "originalMessage") ?? textOf(error, "message") ?? code;
    const hint = textOf(error, "hint");
    return Object.assign(new Error(message, { cause: error }), {
      code,
      ...(hint === undefined ? {} : { hint }),
    });
  }
  for (const name of WRAPPERS) {
    const inner = databaseErrorIn(propertyOf(error, name), depth + 1);
    if (inner !== undefined) return inner;
  }
  return undefined;
}

const textOf = (value: object, name: string): string | undefined => {
  const text = propertyOf(value, name);
  return typeof text === "string" ? text : undefined;
};

const propertyOf = (value: unknown, name: string): unknown =>
  typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
