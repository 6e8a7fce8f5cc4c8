/**
 * What the failure of a statement speaks of. A run, a step or a message may end by what is in it, and never by what
 * happened to the database or to the way there, so the rule begins with what is known to speak of data:
 *
 * - `data`: the values of the statement. Sent again, they are refused again. A short list of codes.
 * - `database`: the database as a whole, or the way to it (a full disk, a failover, too many connections). Other
 *   statements fail as well, and this one succeeds later.
 * - `unclear`: everything else, known or not: a timeout, a lock that another transaction holds, a code that Oxbow has
 *   never seen. It may be the fault of one item of a batch, and it may pass.
 */
import { ConnectionFailed, OxbowError } from "../core/errors.ts";
import { whyUnavailable } from "./sqlstate.ts";

export type Blame = "data" | "database" | "unclear";

/** Oxbow's own findings about an argument. */
const ERRORS_OF_DATA: ReadonlySet<string> = new Set([
  "INVALID_ARGUMENT",
  "INVALID_NAME",
  "PAYLOAD_TOO_LARGE",
  "SERIALIZATION_FAILED",
]);

const SQLSTATES_OF_DATA: ReadonlySet<string> = new Set([
  "22001", // text too long for its column
  "22003", // a number that numeric can't hold
  "22021", // text that is not in the encoding of the database
  "22P02", // not JSON
  "22P05", // a character that jsonb can't hold
  "54000", // more than a value may hold
  "54001", // JSON that is nested too deeply
]);

/** A check, or a missing value, in a table of Oxbow's own. */
const CONSTRAINTS_OF_DATA: ReadonlySet<string> = new Set(["23502", "23514"]);

/** Classes: connection, transaction state, authorization, resources, operator intervention, system, configuration. */
const SQLSTATES_OF_DATABASE = /^(?:08|25|28|3D|53[013]|57P|58|F0)/;

/**
 * A statement of a callback may meet these by what happens to the database, and by what it does itself: it waits with
 * NOWAIT, it is slow, its callback leaves the transaction idle.
 */
const SQLSTATES_OF_EITHER = /^(?:08|40001|40P01|25P0[34]|53[24]00|55P03|57014|57P)/;

const SQLSTATES_OF_DATABASE_ALONE = /^(?:25006|53|58)/;

/** Of a statement that Oxbow made. */
export function blameFor(error: unknown): Blame {
  // Text longer than what the runtime can hold, or nested more deeply than its stack.
  if (error instanceof RangeError) return "data";
  if (error instanceof ConnectionFailed) return "database";
  if (error instanceof OxbowError) return ERRORS_OF_DATA.has(error.code) ? "data" : "unclear";
  const sqlstate = sqlstateOf(error);
  if (sqlstate !== undefined) {
    if (SQLSTATES_OF_DATA.has(sqlstate)) return "data";
    if (CONSTRAINTS_OF_DATA.has(sqlstate) && isOfOurTables(error)) return "data";
    if (SQLSTATES_OF_DATABASE.test(sqlstate)) return "database";
  }
  return whyUnavailable(error) === undefined ? "unclear" : "database";
}

/**
 * Of a statement that the callback of a `step.tx` made. `none`: the callback failed. `lasting`: the database failed,
 * however often it does. `passing`: so it did, unless the same happens for too long.
 */
export function hindranceIn(error: unknown): "none" | "passing" | "lasting" {
  const sqlstate = sqlstateOf(error);
  if (sqlstate === undefined) return whyUnavailable(error) === undefined ? "none" : "passing";
  if (SQLSTATES_OF_EITHER.test(sqlstate)) return "passing";
  return SQLSTATES_OF_DATABASE_ALONE.test(sqlstate) ? "lasting" : "none";
}

/** The session has ended, or leads to a server that takes no writes: the next statement needs another one. */
export const isSessionUseless = (error: unknown): boolean =>
  whyUnavailable(error) !== undefined || /^(?:25006|25P04)$/.test(sqlstateOf(error) ?? "");

/** The SQLSTATE that a driver's error carries. */
export function sqlstateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof OxbowError || !("code" in error))
    return undefined;
  const { code } = error;
  // What the operating system says looks alike: EPIPE.
  return typeof code === "string" && /^[0-9FHPX][0-9A-Z]{4}$/.test(code) ? code : undefined;
}

const isOfOurTables = (error: unknown): boolean =>
  error instanceof Error && "schema" in error && error.schema === "queue";
