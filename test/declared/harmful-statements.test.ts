/** `sql.query@1` with statements that harm their connection, on a real worker and real databases: its process lives on. */
import { type DeclaredWorkflow, type NodeType, sqlQuery, workflowOf } from "@oxbow/declared";
import pg from "pg";
import { beforeAll, expect, it } from "vitest";
import { createDatabase, type TestDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

let bench: WorkflowBench;
let shop: TestDatabase;
let pool: pg.Pool;

beforeAll(async () => {
  bench = await setupWorkflows();
  shop = await createDatabase();
  pool = new pg.Pool({ connectionString: shop.url, max: 2 });
  atFileEnd(async () => {
    await pool.end();
    return [];
  });
  for (const database of [shop, bench.database]) {
    await database.query("create table public.stock (sku text)");
  }
});

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

it("fails the node alone when a row can't be parsed", async () => {
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
  const terminated = () =>
    shop.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where query like 'select pg_sleep(3600)%' and state = 'active'",
    );
  const isOne = (rows: readonly unknown[]) => rows.length === 1;
  await eventually(terminated, isOne);
  await eventually(terminated, isOne);
  expect(await slow).toMatchObject({ code: "57P01", attempts: 2 });
});

it("survives a statement that ends its own session, or those of the pool that are idle", async () => {
  const bare = poolOf();
  const own = single("select pg_terminate_backend(pg_backend_pid())", onShop(bare));
  expect(await outcome(own)).toMatchObject({ code: "57P01" });
  await Promise.all([1, 2].map(() => bare.query("select pg_sleep(0.1)")));
  const sql =
    "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'bare' and pid <> pg_backend_pid()";
  expect(await outcome(single(sql, onShop(bare)))).toMatchObject({ count: 1 });
  await eventually(
    () => bare.totalCount,
    (count) => count === 1,
  );
  expect(await outcome(single("select 1 as one", onShop(bare)))).toMatchObject({
    rows: [{ one: 1 }],
  });
});

/** A pool without listeners. */
function poolOf(options: pg.PoolConfig = {}): pg.Pool {
  const bare = new pg.Pool({
    connectionString: shop.url,
    application_name: "bare",
    max: 2,
    ...options,
  });
  atFileEnd(async () => {
    await bare.end();
    return [];
  });
  return bare;
}
