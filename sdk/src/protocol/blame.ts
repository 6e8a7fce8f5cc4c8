/**
 * The cause of a failed statement. Data may fail a run, a step or a message; the state of the database or of the
 * connection must not. So only a short list of codes counts as data:
 *
 * - `data`: the values of the statement. Sent again, they are rejected again.
 * - `database`: the database as a whole, or the connection to it (a full disk, a failover, too many connections).
 *   Other statements fail as well, and this one succeeds later.
 * - `unclear`: everything else, unknown codes included: a timeout, a lock of another transaction. One item of a batch
 *   may cause it, and it may pass.
 */
import { ERROR_CATALOGUE } from "../core/error-catalogue.ts";
import { ConnectionFailed, OxbowError } from "../core/errors.ts";
import { isRefused, UNTRANSLATABLE, whyUnavailable } from "./sqlstate.ts";

export type Blame = "data" | "database" | "unclear";

const SQLSTATES_OF_DATA: ReadonlySet<string> = new Set([
  "22001", // text too long for its column
  "22003", // a number that numeric can't hold
  ...UNTRANSLATABLE,
  "54000", // more than a value may hold
  "54001", // JSON that is nested too deeply
]);

/** A check constraint, or a missing value, in one of Oxbow's tables. */
const CONSTRAINTS_OF_DATA: ReadonlySet<string> = new Set(["23502", "23514"]);

/** Classes: connection, transaction state, authorization, resources, operator intervention, system, configuration. */
const SQLSTATES_OF_DATABASE = /^(?:08|25|28|3D|53[013]|57P|58|F0)/;

/**
 * Either the database or the callback itself may cause these in a statement of a callback: it uses NOWAIT, it is slow,
 * or the callback leaves the transaction idle.
 */
const SQLSTATES_OF_EITHER = /^(?:08|40001|40P01|25P0[34]|53[24]00|55P03|57014|57P)/;

const SQLSTATES_OF_DATABASE_ALONE = /^(?:25006|53|58)/;

/** Errors in what a statement names or contains: a missing privilege, table or function, an invalid value. */
const SQLSTATES_OF_CALLER = /^(?:22|3F|42)/;

/** The cause of a failed statement that Oxbow sent. */
export function blameFor(error: unknown): Blame {
  // Text longer than the runtime's maximum, or nested more deeply than its stack.
  if (error instanceof RangeError) return "data";
  if (error instanceof ConnectionFailed) return "database";
  if (error instanceof OxbowError) {
    return ERROR_CATALOGUE[error.code].isOfData === true ? "data" : "unclear";
  }
  const sqlstate = sqlstateOf(error);
  if (sqlstate !== undefined) {
    if (SQLSTATES_OF_DATA.has(sqlstate)) return "data";
    if (CONSTRAINTS_OF_DATA.has(sqlstate) && isOfOurTables(error)) return "data";
    if (SQLSTATES_OF_DATABASE.test(sqlstate)) return "database";
  }
  return whyUnavailable(error) === undefined ? "unclear" : "database";
}

/**
 * Whether the first statements of a worker or consumer, which may speak of its configuration, succeed later unless that
 * is changed.
 */
export function mayPass(error: unknown): boolean {
  if (isRefused(error)) return false;
  const blame = blameFor(error);
  if (blame !== "unclear") return blame === "database";
  const sqlstate = sqlstateOf(error);
  return sqlstate !== undefined && !SQLSTATES_OF_CALLER.test(sqlstate);
}

/**
 * The cause of a failed statement that the callback of a `step.tx` sent. `none`: the callback. `lasting`: the database,
 * however often it fails. `passing`: the database, unless the failure repeats for too long.
 */
export function hindranceIn(error: unknown): "none" | "passing" | "lasting" {
  const sqlstate = sqlstateOf(error);
  if (sqlstate === undefined) return whyUnavailable(error) === undefined ? "none" : "passing";
  if (SQLSTATES_OF_EITHER.test(sqlstate)) return "passing";
  return SQLSTATES_OF_DATABASE_ALONE.test(sqlstate) ? "lasting" : "none";
}

/** The session has ended, or its server rejects writes: the next statement requires another session. */
export const isSessionUseless = (error: unknown): boolean =>
  whyUnavailable(error) !== undefined || /^(?:25006|25P04)$/.test(sqlstateOf(error) ?? "");

/** The SQLSTATE of a driver's error. */
export function sqlstateOf(error: unknown): string | undefined {
  if (!(error instanceof Error) || error instanceof OxbowError || !("code" in error))
    return undefined;
  const { code } = error;
  // Codes of the operating system look alike: EPIPE.
  return typeof code === "string" && /^[0-9FHOPX][0-9A-Z]{4}$/.test(code) ? code : undefined;
}

const isOfOurTables = (error: unknown): boolean =>
  error instanceof Error && "schema" in error && error.schema === "queue";
