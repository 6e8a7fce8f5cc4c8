/**
 * `sql.query@1`: one statement of a document on a data source of the worker.
 *
 * Promises:
 *   Q1  Values are bound as parameters, and a text of several statements is refused, so that nothing that a run reads
 *       becomes part of a statement.
 *   Q2  Without `write`, or where the worker doesn't allow it, the transaction is read-only, and is rolled back: neither
 *       rows nor settings of the session change.
 *   Q3  A statement with more than 1,000 rows or 16 MiB fails. No more than that is read, but for a batch of rows, and never
 *       more than 64 MiB. COPY fails.
 *   Q4  On the database of Oxbow a statement takes effect exactly once: it commits with the journal. On any other, an
 *       attempt whose commit wasn't journaled is repeated.
 *   Q5  Whatever a statement does to its connection, or to others of the pool, fails only the statement. A lost
 *       connection is an event of its client, lent or idle, and would end the process without a listener.
 *   Q6  The next statement finds nothing of it in the session: a connection is closed after PREPARE, SET, LISTEN, DO and
 *       whatever else isn't a query, and after set_config() and temporary tables. On the database of Oxbow the step is
 *       journaled with the settings and the role of the worker.
 */
import {
  type CursorClient,
  type LimitedRows,
  mayChangeSession,
  readAtMost,
  readWithin,
} from "@oxbow/sdk/internal/declared";
import { NonRetriableError, type StepTransaction } from "@oxbow/sdk/runtime";
import type { JsonSchema } from "../document/document.ts";
import { isObject, type Json, own } from "../document/json.ts";
import { differenceFromSchema } from "../types/conformance.ts";
import { SQL_QUERY } from "./descriptors/sql-query.ts";
import { coded } from "./failure.ts";
import { type NodeCall, type NodeType, nodeTypeOf } from "./node-type.ts";

/** A pool of `pg`, for a database that documents may query. Its role decides what statements may see. */
export interface SqlSource {
  readonly pool: SqlPool;
  /** Whether statements may write that say so. Default: false. */
  readonly writes?: boolean;
}

/** The part of `pg.Pool` that queries need. */
export interface SqlPool {
  connect(): Promise<SqlConnection>;
  on?(event: "error", listener: () => void): unknown;
}

/** The part of a connection of `pg` that queries need. */
export interface SqlConnection {
  query(text: string): PromiseLike<unknown>;
  release(error?: Error): void;
  on?(event: "error", listener: () => void): unknown;
  off?(event: "error", listener: () => void): unknown;
  /** Process id of the database connection; it serves to cancel statements that are given up. */
  readonly processID?: number | null;
}

export interface SqlQueryOptions {
  /** Data sources by the names that documents use. */
  readonly sources?: Readonly<Record<string, SqlSource>>;
  /** Whether documents may query the database of Oxbow, as the source `oxbow`, with the role of the worker. Default: no. */
  readonly oxbow?: { readonly writes?: boolean };
}

interface Parameters {
  readonly source: string;
  readonly sql: string;
  readonly values?: readonly Json[];
  readonly write?: boolean;
  readonly row?: JsonSchema;
}

const OXBOW = "oxbow";
const MAX_ROWS = 1_000;
const MAX_BYTES = 16_777_216;
const LIMITS = { maxRows: MAX_ROWS, maxBytes: MAX_BYTES };
/** Part of the transaction of the step, which continues after it. */
const SAVEPOINT = "oxbow_sql_query";
/** Without these the journal would be written as another role, or with a timeout of the statement's choice. */
const RESET = ["reset session authorization", "reset role", "reset all"];

/**
 * Makes the node type `sql.query@1` for data sources of the worker. Without it, workers have no data sources.
 *
 * @throws RangeError for a source with the name `oxbow`
 * @example
 * workflowOf(document, { nodes: [sqlQuery({ sources: { shop: { pool: new pg.Pool({ connectionString }) } } })] });
 */
export function sqlQuery({ sources = {}, oxbow }: SqlQueryOptions = {}): NodeType {
  if (Object.hasOwn(sources, OXBOW)) {
    throw new RangeError(
      'The source "oxbow" is the database of Oxbow: allow it by the option `oxbow`.',
    );
  }
  for (const { pool } of Object.values(sources)) hear(pool);
  return nodeTypeOf(SQL_QUERY, (params) =>
    isObject(params) && params["source"] === OXBOW
      ? { kind: "tx", tx: (tx, call) => onOxbow(oxbow, tx, call as NodeCall<Parameters>) }
      : { kind: "run", run: (call) => onSource(sources, call as NodeCall<Parameters>) },
  );
}

const heard = new WeakSet<SqlPool>();

/** Connections that are lost while they are idle are events of the pool, which replaces them. */
function hear(pool: SqlPool): void {
  if (heard.has(pool)) return;
  heard.add(pool);
  pool.on?.("error", ignore);
}

const ignore = (): void => {};

/** A connection whose statements report that it is lost. */
async function lent(pool: SqlPool): Promise<SqlConnection> {
  const connection = await pool.connect();
  connection.on?.("error", ignore);
  return connection;
}

function giveBack(connection: SqlConnection, error?: Error): void {
  connection.release(error);
  // From here on the pool listens.
  connection.off?.("error", ignore);
}

async function onOxbow(
  allowed: SqlQueryOptions["oxbow"],
  tx: StepTransaction,
  { params }: NodeCall<Parameters>,
): Promise<Json> {
  if (allowed === undefined) throw refused("UNKNOWN_SOURCE", unknownSource(OXBOW, []));
  const { sql, values = [], write = false } = params;
  if (write) checkWrites(allowed.writes, OXBOW);
  // A statement that ends the transaction ends the savepoint too, and then fails by the last line.
  await tx.query(`savepoint ${SAVEPOINT}`, []);
  if (!write) await tx.query("set transaction read only", []);
  const result = await readWithin(tx, sql, values.map(toParameter), LIMITS).catch(
    async (error: unknown) => {
      // Otherwise a statement that may not write looks like a database that can't, for which a worker waits.
      // The connection of some is gone: the transaction fails by that, whatever follows.
      if (isPermanent(error)) {
        await tx.query(`rollback to savepoint ${SAVEPOINT}`, []).catch(() => {});
      }
      return fail(error);
    },
  );
  const end = write ? `release savepoint ${SAVEPOINT}` : `rollback to savepoint ${SAVEPOINT}`;
  await tx.query(end, []);
  if (result.changesSession) for (const statement of RESET) await tx.query(statement, []);
  return outputOf(result, params);
}

async function onSource(
  sources: Readonly<Record<string, SqlSource>>,
  { params, signal }: NodeCall<Parameters>,
): Promise<Json> {
  const { source: name, sql, values = [], write = false } = params;
  const source = own(sources, name);
  if (source === undefined) {
    const isBound = name === OXBOW;
    throw refused(
      "UNKNOWN_SOURCE",
      isBound
        ? 'The source "oxbow" must be written in the document, rather than bound.'
        : unknownSource(name, Object.keys(sources)),
    );
  }
  if (write) checkWrites(source.writes, name);
  signal.throwIfAborted();
  const connection = new Borrowed(source.pool, await lent(source.pool));
  const giveUp = (): void => connection.giveUp();
  signal.addEventListener("abort", giveUp, { once: true });
  try {
    signal.throwIfAborted();
    const result = await connection.transaction(write, (client) =>
      readAtMost(client, sql, values.map(toParameter), LIMITS).catch((error: unknown) => {
        if (mayChangeSession(sql, undefined)) connection.isChanged = true;
        return fail(error);
      }),
    );
    connection.isChanged ||= result.changesSession;
    return outputOf(result, params);
  } catch (error) {
    throw signal.aborted ? signal.reason : error;
  } finally {
    signal.removeEventListener("abort", giveUp);
    connection.release();
  }
}

/** A connection of a pool, for one transaction. */
class Borrowed {
  readonly #pool: SqlPool;
  readonly #connection: SqlConnection;
  /** Its session may differ from that of a new connection. */
  isChanged = false;
  #isReleased = false;

  constructor(pool: SqlPool, connection: SqlConnection) {
    this.#pool = pool;
    this.#connection = connection;
  }

  async transaction(
    write: boolean,
    work: (client: CursorClient) => Promise<LimitedRows>,
  ): Promise<LimitedRows> {
    await this.#connection.query(write ? "begin" : "begin read only");
    try {
      const result = await work(this.#connection as unknown as CursorClient);
      // Too much of a result is an error, which must not take effect.
      await this.#connection.query(write && result.count !== undefined ? "commit" : UNDO);
      return result;
    } catch (error) {
      await this.#undo();
      throw error;
    }
  }

  /** Closes the connection, and cancels its statement, which the database would continue. */
  giveUp(): void {
    const { processID } = this.#connection;
    this.release(new Error("The statement was given up."));
    if (typeof processID !== "number") return;
    this.#cancel(processID).catch(() => {});
  }

  release(error?: Error): void {
    if (this.#isReleased) return;
    this.#isReleased = true;
    giveBack(
      this.#connection,
      error ??
        (this.isChanged ? new Error("A statement may have changed the session.") : undefined),
    );
  }

  async #undo(): Promise<void> {
    try {
      await this.#connection.query(UNDO);
    } catch (error) {
      this.release(error instanceof Error ? error : new Error(String(error)));
    }
  }

  async #cancel(processId: number): Promise<void> {
    const other = await lent(this.#pool);
    try {
      await other.query(`select pg_cancel_backend(${processId})`);
    } finally {
      giveBack(other);
    }
  }
}

/** Locks of the session outlive its transactions. */
const UNDO = "rollback; select pg_advisory_unlock_all()";

function checkWrites(isAllowed: boolean | undefined, source: string): void {
  if (isAllowed === true) return;
  throw refused("SQL_READ_ONLY", `The workers allow no statement to write to source "${source}".`);
}

const unknownSource = (name: string, known: readonly string[]): string =>
  `There is no data source "${name}" on this worker${known.length === 0 ? "" : `, which has ${known.join(", ")}`}.`;

const refused = (code: string, message: string): NonRetriableError =>
  new NonRetriableError(message, { cause: coded("QueryRefused", code, message) });

/** Data exceptions, constraints, read-only transactions, statements that can't be executed at all, limits of the database. */
const PERMANENT = /^(?:0A|22|23|25(?!P)|42|54)/;

function isPermanent(error: unknown): error is Error {
  const { code } = error as { readonly code?: unknown };
  return error instanceof Error && typeof code === "string" && PERMANENT.test(code);
}

function fail(error: unknown): never {
  throw isPermanent(error) ? new NonRetriableError(error.message, { cause: error }) : error;
}

/** Objects are JSON; lists are arrays of Postgres, as the driver writes them. */
const toParameter = (value: Json): unknown => (isObject(value) ? JSON.stringify(value) : value);

function outputOf({ rows, count }: LimitedRows, { row: schema }: Parameters): Json {
  if (count === undefined) {
    throw refused(
      "TOO_MANY_ROWS",
      `The statement returns more than ${MAX_ROWS} rows or ${MAX_BYTES} bytes: limit it.`,
    );
  }
  const shown = rows.map((row) => toJson(row));
  if (schema !== undefined) {
    for (const [at, row] of shown.entries()) {
      const difference = differenceFromSchema(row, schema, `rows[${at}]`);
      if (difference !== undefined) {
        throw refused("INVALID_ROW", `A row isn't of its schema: ${difference}.`);
      }
    }
  }
  return { rows: shown, count };
}

/** A value of the driver. Bytes become base64, and numbers that JSON lacks text. */
function toJson(value: unknown): Json {
  if (value === null || value === undefined) return null;
  if (typeof value === "number") return Number.isFinite(value) ? value : String(value);
  if (typeof value === "string" || typeof value === "boolean") return value;
  if (typeof value === "bigint") return String(value);
  if (value instanceof Date) {
    return Number.isNaN(value.getTime()) ? String(value) : value.toISOString();
  }
  if (value instanceof Uint8Array) return Buffer.from(value).toString("base64");
  if (Array.isArray(value)) return value.map((item) => toJson(item));
  if (!isObject(value)) return null;
  const { toPostgres } = value;
  if (typeof toPostgres === "function") return String((toPostgres as () => unknown).call(value));
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, toJson(member)]));
}
