/**
 * `make bench-dashboard`: what the dashboard's requests take with a million runs (RUNS=1000000), and how long its pages take
 * until they show them. Prints a table, which docs/operate/dashboard.md summarizes.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import { startServer } from "@oxbow/server";
import pg from "pg";
import { type Browser, launch } from "puppeteer-core";

const RUNS = Number(process.env["RUNS"] ?? 1_000_000);
const REPEATS = 9;
const WORKFLOWS = 5;

const hourAgo = new Date(Date.now() - 3_600_000).toISOString();
const weekAgo = new Date(Date.now() - 604_800_000).toISOString();

/** As the pages send them. */
const SEARCHES: Readonly<Record<string, object>> = {
  "all runs": {},
  "runs of a workflow": { name: "w1" },
  "running runs": { status: ["running"] },
  "failed runs": { status: ["failed"] },
  "failed runs of a workflow in the last hour": {
    name: "w1",
    status: ["failed"],
    completedAfter: hourAgo,
  },
  "a tag": { tags: { customer: 13 } },
  "a key": { name: "w2", idempotencyKey: "key-51" },
  "an activity": { activity: ["waiting"] },
  "an activity that no run has": { activity: ["retrying"] },
  "a parent": { parent: "1" },
  "an error text": { errorText: "declined by bank 7" },
  "an error text that no run has": { errorText: "never thrown" },
  "an error text that no run has, of a workflow": { name: "w1", errorText: "never thrown" },
  "an error code that no run has": { errorCode: "NEVER" },
  "an input that no run has, in the last week": {
    name: "w1",
    input: { order: -1 },
    startedAfter: weekAgo,
  },
};

/** Nine of ten have completed, one of twenty has failed, one of 25 runs. */
async function fill(client: pg.Client): Promise<void> {
  await client.query(
    `select queue.workflow_register(array_agg('w' || n), array_agg(1)) from generate_series(1, $1::int) as n`,
    [WORKFLOWS],
  );
  for (let n = 1; n <= WORKFLOWS; n += 1) {
    await client.query(
      `select count(*) from queue.workflow_start_batch($1, array_fill('{"order": 1}'::jsonb, array[$2::int]))`,
      [`w${n}`, Math.round(RUNS / 25 / WORKFLOWS)],
    );
  }
  await client.query(
    `update queue.workflow_continuation
     set message = '{"waits": [{"kind": "event", "event": "paid"}], "journaled": 0}', visible_at = 'infinity', settled_receipt = 0
     where msg_id % 2 = 0`,
  );
  await client.query(
    `insert into queue.workflow_run (started_at, completed_at, expires_at, retention_days, workflow_version, status,
       workflow_name, idempotency_key, input, output, error, tags, parent_run_id, parent_step)
     select now() - interval '1 second' * n, now() - interval '1 second' * (n - 5), now() + interval '30 days', 30, 1,
       s.status::queue.workflow_status, 'w' || 1 + n % $2, case when n % 10 = 1 then 'key-' || n end,
       jsonb_build_object('order', n), case when s.status = 'completed' then '{"ok": true}'::jsonb end,
       case when s.status = 'failed' then jsonb_build_object('name', 'StepFailed', 'code', 'STEP_FAILED',
         'message', format('Step "charge-card" of run %s failed after 3 attempts: declined by bank %s', n, n % 1000),
         'cause', jsonb_build_object('name', 'Error', 'message', 'declined by bank ' || n % 1000, 'code', 'DECLINED')) end,
       case when n % 10 = 3 then jsonb_build_object('customer', n % 10000) end,
       case when n % 1000 = 0 then 1 end, case when n % 1000 = 0 then 'step ' || n end
     from generate_series(1, $1::int) as n
     cross join lateral (
       select case when n % 20 = 0 then 'failed' when n % 100 = 1 then 'cancelled' else 'completed' end as status
     ) as s`,
    [RUNS - Math.round(RUNS / 25), WORKFLOWS],
  );
  await client.query("vacuum analyze");
}

interface Taken {
  readonly what: string;
  readonly medianMs: number;
  readonly longestMs: number;
  readonly rows: number | undefined;
}

async function measure(
  what: string,
  ask: () => Promise<number | void>,
  repeats = REPEATS,
): Promise<Taken> {
  const times: number[] = [];
  let rows: number | undefined;
  for (let n = 0; n < repeats; n += 1) {
    const began = performance.now();
    rows = (await ask()) ?? undefined;
    times.push(performance.now() - began);
  }
  const sorted = times.toSorted((one, other) => one - other);
  return {
    what,
    medianMs: sorted[Math.floor(sorted.length / 2)] ?? Number.NaN,
    longestMs: sorted.at(-1) ?? Number.NaN,
    rows,
  };
}

async function post(url: string, path: string, body: object): Promise<Record<string, unknown>> {
  const response = await fetch(`${url}${path}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  if (!response.ok) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as Record<string, unknown>;
}

async function measureRequests(url: string): Promise<Taken[]> {
  const taken: Taken[] = [];
  for (const [what, conditions] of Object.entries(SEARCHES)) {
    const search = async (before?: unknown) => {
      const answer = await post(url, "/v1/runs/search", { conditions, maxRuns: 50, before });
      return answer["runs"] as { readonly cursor: string }[];
    };
    taken.push(await measure(`search: ${what}`, async () => (await search()).length));
    if (what === "all runs") {
      const cursor = (await search()).at(-1)?.cursor;
      taken.push(
        await measure(`search: ${what}, second page`, async () => (await search(cursor)).length),
      );
    }
  }
  for (const status of ["completed", "failed"]) {
    taken.push(
      await measure(`count: ${status} in the last hour`, async () =>
        Number(
          (
            await post(url, "/v1/runs/count", {
              conditions: { status: [status], completedAfter: hourAgo },
              atMost: 10_000,
            })
          )["count"],
        ),
      ),
    );
  }
  taken.push(
    await measure("overview: runs of the last hour, for latencies", async () => {
      const answer = await post(url, "/v1/runs/search", {
        conditions: { status: ["completed", "failed", "cancelled"], completedAfter: hourAgo },
        maxRuns: 1_000,
      });
      return (answer["runs"] as unknown[]).length;
    }),
    await measure("overview: runs by workflow and status", async () => {
      const response = await fetch(`${url}/v1/workflows`);
      return ((await response.json()) as { workflows: unknown[] }).workflows.length;
    }),
  );
  return taken;
}

const findBrowser = (): string | undefined =>
  process.env["OXBOW_TEST_BROWSER"] ??
  (process.env["PATH"] ?? "")
    .split(delimiter)
    .map((folder) => join(folder, "chromium"))
    .find((path) => existsSync(path));

/** In a new profile each time: nothing is cached. */
async function measurePage(
  browser: Browser,
  what: string,
  address: string,
  shown: string,
): Promise<Taken> {
  return measure(
    `page: ${what}`,
    async () => {
      const context = await browser.createBrowserContext();
      const page = await context.newPage();
      await page.goto(address);
      await page.waitForSelector(shown);
      // Until a key press gets its answer.
      await page.keyboard.down("Control");
      await page.keyboard.press("k");
      await page.keyboard.up("Control");
      await page.waitForSelector(".palette-input");
      await context.close();
    },
    5,
  );
}

const cluster = await startPostgres({ settings: { shared_buffers: "1GB", max_wal_size: "4GB" } });
try {
  const url = await cluster.createDatabase("million");
  await migrate(url);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const began = performance.now();
  await fill(client);
  await client.end();
  process.stderr.write(
    `Filled with ${RUNS} runs in ${Math.round((performance.now() - began) / 1_000)} s.\n`,
  );
  const server = await startServer({ url, port: 0, host: "127.0.0.1", sweepIntervalMs: 0 });
  const taken = await measureRequests(server.url);
  const path = findBrowser();
  if (path !== undefined) {
    const browser = await launch({
      executablePath: path,
      args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    });
    taken.push(
      await measurePage(browser, "overview", `${server.url}/`, "main table tbody tr"),
      await measurePage(browser, "runs", `${server.url}/#/runs`, "main table tbody tr"),
      await measurePage(
        browser,
        "failed runs with an error text",
        `${server.url}/#/runs?status=failed&message=bank%207`,
        "main table tbody tr",
      ),
    );
    await browser.close();
  }
  await server.stop();
  process.stdout.write("| what | median | longest | rows |\n| --- | --- | --- | --- |\n");
  for (const { what, medianMs, longestMs, rows } of taken) {
    process.stdout.write(
      `| ${what} | ${medianMs.toFixed(1)} ms | ${longestMs.toFixed(1)} ms | ${rows ?? ""} |\n`,
    );
  }
} finally {
  await cluster.stop({ mode: "immediate" });
}
