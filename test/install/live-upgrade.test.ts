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
import { atLeast, eventually } from "../helpers/eventually.ts";
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
