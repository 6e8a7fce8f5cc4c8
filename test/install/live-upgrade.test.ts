/** The effect of an upgrade of the extension on working clients. */
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import pg from "pg";
import { expect, it } from "vitest";
import { startCluster } from "../helpers/clusters.ts";
import { createDatabase } from "../helpers/database.ts";
import { atLeast, eventually, isNotEmpty } from "../helpers/eventually.ts";
import { VERSION } from "../helpers/version.ts";

const BUILT = fileURLToPath(new URL("../../extension-sql/dist", import.meta.url));
const RUNS = 150;

const chain = workflow({
  name: "chain",
  run: async (ctx, input: { n: number }) => {
    const first = await ctx.step.run("first", () => input.n);
    await ctx.step.sleep("nap", 20);
    return ctx.step.run("second", () => first + 1);
  },
});

/** A directory with the built extension, and a release after it that replaces every function. */
function withNextRelease(): string {
  const directory = mkdtempSync(join(tmpdir(), "oxbow-next-release-"));
  cpSync(BUILT, directory, { recursive: true });
  const script = readFileSync(join(directory, "extension", `oxbow--${VERSION}.sql`), "utf8");
  const upgrade = script
    .replaceAll(/^create type [\s\S]*?^\);$/gm, "")
    .replaceAll(/^create function /gm, "create or replace function ");
  writeFileSync(join(directory, "extension", `oxbow--${VERSION}--9.9.9.sql`), upgrade);
  return directory;
}

it("workers and consumers work through an ALTER EXTENSION UPDATE, and lose and repeat nothing", async () => {
  const extensionDir = withNextRelease();
  await using cluster = await startCluster({ durable: false, extensionDir });
  rmSync(extensionDir, { recursive: true });
  const url = await cluster.createDatabase("deployed");
  const admin = new pg.Client(url);
  await admin.connect();
  await admin.query("create extension oxbow; select queue.migrate()");

  await using client = createWorkflowClient({ url });
  const worker = createWorker({ url, workflows: [chain], concurrency: 20 });
  await client.queues.create("letters", { fifo: true });
  const handled: number[] = [];
  const consumer = client.queues.consume(
    "letters",
    ({ body }) => void handled.push(body as number),
    { concurrency: 1 },
  );
  const results: Promise<number>[] = [];
  for (let n = 0; n < RUNS; n += 1) {
    const [run] = await Promise.all([
      client.start(chain, { n }),
      client.queues.sendFifo("letters", n, { groupId: "one" }),
    ]);
    results.push(run.result());
    if (n === RUNS / 2) await admin.query("alter extension oxbow update to '9.9.9'");
  }

  expect(await Promise.all(results)).toEqual(Array.from({ length: RUNS }, (_, n) => n + 1));
  await eventually(() => handled.length, atLeast(RUNS));
  expect(handled).toEqual(Array.from({ length: RUNS }, (_, n) => n));
  await Promise.all([worker.stop(), consumer.stop()]);
  const { rows } = await admin.query("select * from queue.check_invariants()");
  await admin.end();
  expect(rows).toEqual([]);
});

it("a call that waits for an upgrade is repeated if that replaces a function it was about to call", async () => {
  const database = await createDatabase();
  await using client = createWorkflowClient({ url: database.url });
  await client.queues.create("letters");
  await client.queues.send("letters", "one");
  const upgrade = await database.connect();
  await upgrade.query("begin; lock table queue.queue in access exclusive mode");
  const received = client.queues.receive("letters");
  await eventually(() => database.query("select from pg_locks where not granted"), isNotEmpty);
  await upgrade.query(`do $$
    declare
      v_function constant regprocedure :=
        (select p.oid from pg_proc as p where p.proname = '_receive' and p.pronamespace = 'queue'::regnamespace);
      v_definition constant text := pg_get_functiondef(v_function);
    begin
      execute format('drop function %s', v_function);
      execute v_definition;
    end
  $$`);
  await upgrade.query("commit");
  expect(await received).toMatchObject([{ body: "one" }]);
});
