/** `sql.query@1` with statements that harm their connection, on a real worker and real databases: its process lives on. */
import { type DeclaredWorkflow, type NodeType, sqlQuery, workflowOf } from "@oxbow/declared";
import pg from "pg";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const shop = await createDatabase();
const pool = new pg.Pool({ connectionString: shop.url, max: 2 });
atFileEnd(() => pool.end());
for (const database of [shop, bench.database]) {
  await database.query("create table public.stock (sku text)");
}

const onShop = (source = pool): NodeType =>
  sqlQuery({ sources: { shop: { pool: source, writes: true } } });
const onOxbow = (): NodeType => sqlQuery({ oxbow: { writes: true } });

let made = 0;

/** A workflow of one statement, whose output is that of the run. */
function single(sql: string, node = onShop(), source = "shop"): DeclaredWorkflow {
  made += 1;
  const document = {
    format: 1 as const,
    name: `harmful-${made}`,
    nodes: {
      node: {
        type: "sql.query@1",
        params: { source, sql, write: true },
        timeout: "3m",
        retry: { attempts: 2, backoff: { base: 1 } },
      },
      end: { type: "end@1", params: { output: { $path: "nodes.node.output" } } },
    },
    edges: [{ from: "node", to: "end" }],
  };
  return workflowOf(document, { nodes: [node] });
}

/** The output of a run, or the code and message of the node's failure. */
async function outcome(workflow: DeclaredWorkflow): Promise<unknown> {
  bench.serve([workflow], { url: bench.database.url });
  const run = await bench.client.start(workflow, {});
  try {
    return await run.result({ timeout: "60s" });
  } catch {
    const [step] = await bench.client.runs.steps(run.runId);
    const { code, message, cause } = step?.error ?? {};
    return {
      code: code === "NON_RETRIABLE" ? (cause?.code ?? code) : code,
      message,
      attempts: step?.attempts,
    };
  }
}

it.each([
  ["copy (select 1) to stdout"],
  ["/* rows */ copy (select generate_series(1, 100000)) to stdout"],
  ["copy (select where false) to stdout"],
  ["copy public.stock from stdin"],
])("fails by %s, on any database", async (sql) => {
  const refusal = {
    code: "0A000",
    message: expect.stringContaining("COPY doesn't return rows"),
    attempts: 1,
  };
  expect(await outcome(single(sql))).toMatchObject(refusal);
  expect(await outcome(single(sql, onOxbow(), "oxbow"))).toMatchObject(refusal);
  expect(await outcome(single("select 1 as one"))).toMatchObject({ rows: [{ one: 1 }] });
});

it("receives no value that is larger than 64 MiB", async () => {
  const large = single("select repeat('x', 100000000)");
  expect(await outcome(large)).toMatchObject({ code: "54000", attempts: 1 });
});

it("fails only the node when a row can't be parsed", async () => {
  const strict = poolOf({
    types: {
      getTypeParser: () => () => {
        throw new TypeError("no such type");
      },
    },
  });
  const workflow = single("select 1", onShop(strict));
  expect(await outcome(workflow)).toMatchObject({ code: "22000", attempts: 1 });
});

it("repeats a statement whose connection is lost", async () => {
  const slow = outcome(single("select pg_sleep(3600)", onShop(poolOf())));
  const terminated: number[] = [];
  // A session that has been terminated may still be listed for a moment.
  const terminate = async () => {
    const rows = await shop.query<{ pid: number }>(
      `select pid from pg_stat_activity
       where query like 'select pg_sleep(3600)%' and state = 'active' and pid <> all ($1::int[])
         and pg_terminate_backend(pid)`,
      [terminated],
    );
    terminated.push(...rows.map(({ pid }) => pid));
    return terminated.length;
  };
  await eventually(terminate, 2);
  expect(await slow).toMatchObject({ code: "57P01", attempts: 2 });
});

it("survives a statement that ends its own session, or those of the pool that are idle", async () => {
  const bare = poolOf();
  const own = single("select pg_terminate_backend(pg_backend_pid())", onShop(bare));
  expect(await outcome(own)).toMatchObject({ code: "57P01" });
  await Promise.all([1, 2].map(() => bare.query("select pg_sleep(0.1)")));
  await eventually(
    () => shop.query("select from pg_stat_activity where application_name = 'bare'"),
    { length: 2 },
  );
  const sql =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bare' and pid <> pg_backend_pid()";
  expect(await outcome(single(sql, onShop(bare)))).toMatchObject({ count: 1 });
  await eventually(() => bare.totalCount, 1);
  expect(await outcome(single("select 1 as one", onShop(bare)))).toMatchObject({
    rows: [{ one: 1 }],
  });
});

const TRACES = `select
  (select count(*)::int from pg_prepared_statements where from_sql) as prepared,
  (select count(*)::int from pg_cursors where is_holdable) as cursors,
  (select count(*)::int from pg_listening_channels()) as channels,
  (select count(*)::int from pg_class where relpersistence = 't') as tables,
  (select count(*)::int from pg_locks where locktype = 'advisory' and pid = pg_backend_pid() and objsubid = 1 and objid = 7) as locks,
  current_setting('statement_timeout') as timeout,
  current_user as role`;

it.each([
  ["prepare harmful as select 1"],
  ["set statement_timeout = '77s'"],
  ["set role pg_monitor"],
  ["set statement_timeout = 1"],
  ["select set_config('statement_timeout', '77s', false)"],
  ["listen harmful"],
  ["create temporary table harmful (a int)"],
  ["select 1 as a into temp harmful"],
  ["select pg_advisory_lock(7)"],
  ["declare harmful cursor with hold for select 1"],
  ["do $$ begin execute 'prepare harmful as select 1'; end $$"],
  ["do $$ begin execute 'prepare harmful as select 1'; raise 'over'; end $$"],
])("leaves nothing of %s in the session", async (sql) => {
  const own = poolOf({ max: 1 });
  const traces = async (on: pg.Pool): Promise<unknown> => (await on.query(TRACES)).rows;
  const none = await traces(pool);
  await outcome(single(sql, onShop(own)));
  expect(await traces(own)).toEqual(none);

  // As the source `oxbow`, of which the worker has few connections.
  const workflow = single(sql, onOxbow(), "oxbow");
  await outcome(workflow);
  const running = await bench.database.query(
    "select from queue.workflow_run where workflow_name = $1 and status = 'running'",
    [workflow.name],
  );
  expect(running).toEqual([]);
  const { rows: seen } = (await outcome(single(TRACES, onOxbow(), "oxbow"))) as {
    readonly rows: readonly { readonly role: string }[];
  };
  const [{ role: user } = { role: "" }] = await bench.database.query<{ role: string }>(
    "select current_user as role",
  );
  expect(seen).toEqual([{ ...(none as readonly object[])[0], role: user }]);
});

it("keeps its connection after queries and changes of rows, whether they fail or not", async () => {
  const own = poolOf({ max: 1 });
  const process = async (): Promise<unknown> =>
    (await own.query("select pg_backend_pid() as id")).rows;
  const first = await process();
  for (const sql of [
    "with one as (select 1 as sku) select * from one",
    "insert into public.stock (sku) values ('a') on conflict do nothing returning sku",
    "update public.stock set sku = 'b' where sku = 'c'",
    "select 1 / 0",
    "explain select 1",
  ]) {
    await outcome(single(sql, onShop(own)));
    expect(await process()).toEqual(first);
  }
});

/** A pool without listeners. */
function poolOf(options: pg.PoolConfig = {}): pg.Pool {
  const bare = new pg.Pool({
    connectionString: shop.url,
    application_name: "bare",
    max: 2,
    ...options,
  });
  atFileEnd(() => bare.end());
  return bare;
}
