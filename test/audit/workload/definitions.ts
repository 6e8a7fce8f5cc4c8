/** A workflow as data: its first node queries a data source of the worker, its second writes to the ledger. */
import { sqlQuery, workflowOf } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import type { Workflow } from "@oxbow/sdk/runtime";
import type pg from "pg";

/** Name by which faults find the sessions of the data source. */
export const SOURCE_NAME = "audit source";

const QUERY: Document = {
  format: 1,
  name: "query",
  nodes: {
    look: {
      type: "sql.query@1",
      // Losing the data source is an attempt of the node: it is the user's database, not Oxbow's.
      retry: { attempts: 1_000, backoff: { kind: "fixed", base: "250ms", jitter: 0 } },
      params: {
        source: "audited",
        sql: "select $1::int + 1 as sum, pg_sleep($2::float8 / 1000)",
        values: [{ $path: "input.number" }, { $path: "input.ms" }],
      },
    },
    book: {
      type: "sql.query@1",
      params: {
        source: "oxbow",
        write: true,
        sql: "insert into audit_ledger (run_id, step, amount) values ($1::bigint, 'book', $2::bigint)",
        values: [{ $path: "run.id" }, { $path: "input.number" }],
      },
    },
    end: { type: "end@1", params: { output: { $path: "nodes.look.output.rows[0].sum" } } },
  },
  edges: [
    { from: "look", to: "book" },
    { from: "book", to: "end" },
  ],
};

export const makeDefinition = (source: pg.Pool): Workflow =>
  workflowOf(QUERY, {
    nodes: [sqlQuery({ sources: { audited: { pool: source } }, oxbow: { writes: true } })],
  });
