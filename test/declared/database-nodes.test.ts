/** Nodes that write to the database of Oxbow, or query a database: on a real worker, and real databases. */
import {
  type DeclaredWorkflow,
  defineNode,
  sqlQuery,
  workflowOf,
  type Json,
} from "@oxbow/declared";
import type { Node } from "@oxbow/declared/check";
import pg from "pg";
import { beforeAll, describe, expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually, isNotEmpty } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const RESULT = { timeout: "60s" } as const;

const bench = await setupWorkflows();
const shop = await createDatabase();
const pool = new pg.Pool({ connectionString: shop.url, max: 2 });
pool.on("error", () => {});
atFileEnd(() => pool.end());
await shop.query(
  "create table customer (id int primary key, name text, born date, data jsonb, photo bytea, score float8, big int8)",
);
await shop.query(`insert into customer values
    (1, 'Ada', '1815-12-10', '{"tags": ["first"]}', '\\x00ff', 'NaN', 9007199254740993),
    (2, 'O''Hara; drop table customer', null, null, null, null, null)`);
await shop.query("create sequence numbers");

let made = 0;

/** A workflow of one node, whose output is that of the run. */
function single(node: Node, options: Parameters<typeof workflowOf>[1] = {}): DeclaredWorkflow {
  made += 1;
  const document = {
    format: 1 as const,
    name: `single-${made}`,
    nodes: { node, end: { type: "end@1", params: { output: { $path: "nodes.node.output" } } } },
    edges: [{ from: "node", to: "end" }],
  };
  return workflowOf(document, options);
}

/** The output of a run, or the message and code of the node's failure. */
async function outcome(workflow: DeclaredWorkflow, input: unknown = {}): Promise<unknown> {
  bench.serve([workflow], { url: bench.database.url });
  const run = await bench.client.start(workflow, input);
  try {
    return await run.result(RESULT);
  } catch {
    const [step] = await bench.client.runs.steps(run.runId);
    const { code, message, cause } = step?.error ?? {};
    const own = code === "NON_RETRIABLE" ? (cause?.code ?? code) : code;
    return { code: own, message, attempts: step?.attempts };
  }
}

describe("queue.send@1", () => {
  it("sends in the commit of its step", async () => {
    await bench.client.queues.create("mail");
    const node = {
      type: "queue.send@1",
      params: {
        queue: "mail",
        message: { to: { $path: "input.to" } },
        headers: { tenant: "t1" },
        delay: "1ms",
      },
    };
    const output = await outcome(single(node), { to: "ada" });
    const [message] = await eventually(
      () => bench.client.queues.receive("mail", { max: 10 }),
      isNotEmpty,
    );
    expect(message).toMatchObject({ body: { to: "ada" }, headers: { tenant: "t1" } });
    expect(output).toEqual({ id: message?.id });
    expect(await bench.client.queues.stats("mail")).toMatchObject({ totalSent: 1 });
  });

  it("sends to a group of a FIFO queue", async () => {
    await bench.client.queues.create("orders", { fifo: true });
    const params = { queue: "orders", message: 1, group: "o-1", deduplicationId: "d-1" };
    const first = await outcome(single({ type: "queue.send@1", params }));
    expect(await outcome(single({ type: "queue.send@1", params }))).toEqual(first);
    const { group: _, ...without } = params;
    expect(await outcome(single({ type: "queue.send@1", params: without }))).toMatchObject({
      message: expect.stringContaining("has a deduplicationId and no group"),
      attempts: 1,
    });
  });

  it("names the queue that isn't there", async () => {
    const node = {
      type: "queue.send@1",
      retry: { attempts: 1 },
      params: { queue: "gone", message: 1 },
    };
    expect(await outcome(single(node))).toMatchObject({
      code: "QUEUE_NOT_FOUND",
      message: expect.stringContaining("gone"),
    });
  });

  it("can't have a rollback", () => {
    const node = {
      type: "queue.send@1",
      params: { queue: "mail", message: 1 },
      rollback: { type: "undo@1" },
    };
    const undo = defineNode({ type: "undo", params: true, run: () => {} });
    expect(() => single(node, { nodes: [undo] })).toThrow("can't have a rollback");
    const undone = { type: "undo@1", rollback: { type: "queue.send@1", params: {} } };
    expect(() => single(undone, { nodes: [undo] })).toThrow("can't be undone by queue.send@1");
  });
});

describe("topic.publish@1", () => {
  it("publishes in the commit of its step", async () => {
    await bench.client.queues.create("paid");
    await bench.client.topics.subscribe("order.*", { queue: "paid" });
    const params = { topic: { $text: "order.{{ input.what }}" }, message: { id: 7 } };
    expect(await outcome(single({ type: "topic.publish@1", params }), { what: "paid" })).toBeNull();
    const [message] = await bench.client.queues.receive("paid", { wait: "30s" });
    expect(message?.body).toEqual({ id: 7 });
  });

  it("fails by an invalid topic", async () => {
    const params = { topic: { $path: "input.topic" }, message: 1 };
    const workflow = single({ type: "topic.publish@1", params });
    bench.serve([workflow], { url: bench.database.url });
    const run = await bench.client.start(workflow, { topic: 3 });
    await expect(run.result(RESULT)).rejects.toThrow("can't publish to 3");
  });
});

it("a node type with `tx` writes to the database of Oxbow exactly once, with the journal", async () => {
  await bench.database.query("create table public.ledger (run text, amount int)");
  let calls = 0;
  const book = defineNode({
    type: "ledger.book",
    params: { type: "object", required: ["amount"] },
    tx: async (tx, { params, idempotencyKey }) => {
      calls += 1;
      const { amount } = params as { readonly amount: number };
      await tx.query("insert into public.ledger values ($1, $2)", [idempotencyKey, amount]);
      if (calls === 1) throw new Error("after the insert");
      return { amount };
    },
  });
  const node = {
    type: "ledger.book@1",
    params: { amount: { $path: "input.amount" } },
    retry: { backoff: { base: 1 } },
  };
  expect(await outcome(single(node, { nodes: [book] }), { amount: 5 })).toEqual({ amount: 5 });
  expect(calls).toBe(2);
  expect(await bench.database.query("select amount from public.ledger")).toEqual([{ amount: 5 }]);
});

describe("sql.query@1", () => {
  const query = (params: Record<string, Json>, options: { readonly writes?: boolean } = {}) =>
    single(
      { type: "sql.query@1", params: { source: "shop", ...params }, retry: { attempts: 2 } },
      { nodes: [sqlQuery({ sources: { shop: { pool, ...options } } })] },
    );

  it("returns rows as JSON", async () => {
    expect(await outcome(query({ sql: "select * from customer order by id" }))).toMatchObject({
      count: 2,
      rows: [
        {
          id: 1,
          name: "Ada",
          data: { tags: ["first"] },
          photo: "AP8=",
          score: "NaN",
          big: "9007199254740993",
        },
        { id: 2, born: null, data: null },
      ],
    });
  });

  it("binds its values", async () => {
    const sql = "select id from customer where name = $1 and $2::jsonb is not null";
    const values = [{ $path: "input.name" }, { any: 1 }];
    const name = "O'Hara; drop table customer";
    expect(await outcome(query({ sql, values }), { name })).toEqual({
      count: 1,
      rows: [{ id: 2 }],
    });
    expect(await outcome(query({ sql, values }), { name: "' or true --" })).toEqual({
      count: 0,
      rows: [],
    });
  });

  it.each([
    ["insert into customer values (3)"],
    ["with gone as (delete from customer returning 1) select count(*) from gone"],
    ["select nextval('numbers')"],
    ["do $$ begin set transaction read write; insert into customer values (3); end $$"],
    [
      "do $$ begin perform set_config('transaction_read_only', 'off', false); insert into customer values (3); end $$",
    ],
    ["create table mine (id int)"],
    ["select 1; insert into customer values (3)"],
    ["commit; insert into customer values (3)"],
  ])("can't write without leave: %s", async (sql) => {
    const { code, attempts } = (await outcome(query({ sql }, { writes: true }))) as {
      readonly code: string;
      readonly attempts: number;
    };
    expect(code).toMatch(/^(?:25006|25001|42601)$/);
    expect(attempts).toBe(1);
    expect(await shop.query("select id from customer order by id")).toEqual([{ id: 1 }, { id: 2 }]);
  });

  it("leaves no settings and no locks to the next statement", async () => {
    await outcome(query({ sql: "select set_config('search_path', 'elsewhere', false)" }));
    await outcome(query({ sql: "set session statement_timeout = 1" }));
    await outcome(query({ sql: "commit" }));
    await outcome(query({ sql: "select pg_advisory_lock(7)" }));
    const sql = `select current_setting('statement_timeout') as timeout,
      (select count(*)::int from pg_locks where locktype = 'advisory'
        and database = (select oid from pg_database where datname = current_database())) as locks, count(*)::int as customers from customer`;
    for (let session = 0; session < 2; session += 1) {
      expect(await outcome(query({ sql }))).toMatchObject({
        rows: [{ timeout: "0", locks: 0, customers: 2 }],
      });
    }
  });

  it("writes where the document says so and the worker allows it", async () => {
    const sql = "update customer set name = upper(name) where id = $1";
    const refused = query({ sql, values: [1], write: true });
    expect(await outcome(refused)).toMatchObject({ code: "SQL_READ_ONLY", attempts: 1 });
    const allowed = query({ sql, values: [1], write: true }, { writes: true });
    expect(await outcome(allowed)).toEqual({ count: 1, rows: [] });
    expect(await shop.query("select name from customer where id = 1")).toEqual([{ name: "ADA" }]);
  });

  it("returns at most 1,000 rows, and a write with more has no effect", async () => {
    const all = query({ sql: "select n from generate_series(1, $1::int) as n", values: [1000] });
    expect(await outcome(all)).toMatchObject({ count: 1000 });
    const many = query({ sql: "select generate_series(1, 100000000) as n" });
    expect(await outcome(many)).toMatchObject({ code: "TOO_MANY_ROWS", attempts: 1 });
    await shop.query("create table log (n int)");
    const sql = "insert into log select generate_series(1, 1001) returning n";
    expect(await outcome(query({ sql, write: true }, { writes: true }))).toMatchObject({
      code: "TOO_MANY_ROWS",
    });
    expect(await shop.query("select count(*)::int from log")).toEqual([{ count: 0 }]);
    const large = query({ sql: "select repeat('x', 1000000) from generate_series(1, 100)" });
    expect(await outcome(large)).toMatchObject({ code: "TOO_MANY_ROWS" });
  });

  it("fails immediately by a statement that can't be executed, and names the schema's difference", async () => {
    expect(await outcome(query({ sql: "select * from nowhere" }))).toMatchObject({
      code: "42P01",
      attempts: 1,
    });
    expect(await outcome(query({ sql: "select 1 / (id - 1) from customer" }))).toMatchObject({
      code: "22012",
      attempts: 1,
    });
    const row = { type: "object", properties: { id: { type: "string" } } };
    const other = query({ sql: "select id from customer order by id", row });
    expect(await outcome(other)).toMatchObject({
      code: "INVALID_ROW",
      message: expect.stringContaining("rows[0].id is 1 instead of text"),
    });
  });

  it("knows only the sources of its worker", async () => {
    const params = { source: "crm", sql: "select 1" };
    expect(await outcome(query(params))).toMatchObject({
      code: "UNKNOWN_SOURCE",
      message: expect.stringContaining(
        'There is no data source "crm" on this worker, which has shop',
      ),
    });
    for (const source of ["oxbow", "toString"]) {
      const own = single({ type: "sql.query@1", params: { source, sql: "select 1" } });
      expect(await outcome(own)).toMatchObject({ code: "UNKNOWN_SOURCE", attempts: 1 });
    }
    expect(() => sqlQuery({ sources: { oxbow: { pool } } })).toThrow("is the database of Oxbow");
  });

  it("cancels a statement that takes longer than its node may", async () => {
    const slow = single(
      {
        type: "sql.query@1",
        timeout: "300ms",
        retry: { attempts: 1 },
        params: { source: "shop", sql: "select pg_sleep(3600)" },
      },
      { nodes: [sqlQuery({ sources: { shop: { pool } } })] },
    );
    expect(await outcome(slow)).toMatchObject({ code: "STEP_TIMEOUT" });
    await eventually(
      () => shop.query("select 1 from pg_stat_activity where query like 'select pg_sleep(3600)%'"),
      [],
    );
  });

  describe("on the database of Oxbow", () => {
    const own = (params: Record<string, Json>, options: { readonly writes?: boolean } = {}) =>
      single(
        { type: "sql.query@1", params: { source: "oxbow", ...params }, retry: { attempts: 1 } },
        { nodes: [sqlQuery({ oxbow: options })] },
      );

    beforeAll(async () => {
      await bench.database.query("create table public.stock (sku text primary key, free int)");
      await bench.database.query("insert into public.stock values ('a', 3)");
    });

    it("reads, and writes exactly once", async () => {
      const sql = "select free from public.stock where sku = $1";
      expect(await outcome(own({ sql, values: ["a"] }))).toEqual({ count: 1, rows: [{ free: 3 }] });
      const update = "update public.stock set free = free - 1 returning free";
      expect(await outcome(own({ sql: update, write: true }))).toMatchObject({
        code: "SQL_READ_ONLY",
      });
      expect(await outcome(own({ sql: update, write: true }, { writes: true }))).toEqual({
        count: 1,
        rows: [{ free: 2 }],
      });
    });

    it.each([
      ["update public.stock set free = 0 returning free"],
      ["do $$ begin update public.stock set free = 0; end $$"],
      ["select 1; update public.stock set free = 0"],
      ["commit"],
      ["rollback"],
      ["release savepoint oxbow_sql_query"],
    ])("neither writes without leave nor ends the transaction: %s", async (sql) => {
      const [before] = await bench.database.query("select free from public.stock");
      expect(await outcome(own({ sql }))).toMatchObject({ code: expect.any(String) });
      expect(await bench.database.query("select free from public.stock")).toEqual([before]);
    });

    it("must be named in the document", async () => {
      const bound = own({ source: { $path: "input.source" }, sql: "select 1" });
      expect(await outcome(bound, { source: "oxbow" })).toMatchObject({
        message: expect.stringContaining("must be written in the document"),
      });
    });
  });
});

it("leaves the database consistent", async () => {
  expect(await bench.violations()).toEqual([]);
});
