/** Environments of the testing kit: what they start, and that nothing of it stays. */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { diagnose, migrate } from "@oxbow/sdk/internal/server";
import { workflow } from "@oxbow/sdk/runtime";
import { createTestEnvironment, type TestEnvironmentOptions } from "@oxbow/sdk/testing";
import { describe, expect, inject, it, vi } from "vitest";
import { startCluster } from "../helpers/clusters.ts";
import { compiledFrom } from "../helpers/compiled.ts";
import { createDatabase } from "../helpers/database.ts";
import { onDatabase, setupEnvironment } from "../helpers/test-environment.ts";

const one = workflow({ name: "one", run: (ctx) => ctx.step.run("one", () => 1) });
const url = inject("clusterUrl");

const hasDatabase = async (ofEnvironment: string): Promise<boolean> => {
  const name = new URL(ofEnvironment).pathname.slice(1);
  const { rowCount } = await onDatabase(url, `select from pg_database where datname = '${name}'`);
  return rowCount === 1;
};

describe("an environment", () => {
  it("has its own Postgres, which others share, and which ends with the last of them", async () => {
    const first = await createTestEnvironment({ workflows: [one] });
    const second = await createTestEnvironment({ workflows: [one] });
    const { rows } = await onDatabase(first.url, "show data_directory");
    const { data_directory: dataDir = "" } = (rows[0] ?? {}) as { data_directory?: string };
    expect(new URL(first.url).host).toBe(new URL(second.url).host);
    expect(first.url).not.toBe(second.url);
    expect(await first.run(one, undefined)).toBe(1);
    await first.stop();
    expect(await second.run(one, undefined)).toBe(1);
    expect(existsSync(dataDir)).toBe(true);
    await second.stop();
    expect(existsSync(dataDir)).toBe(false);
  });

  it("makes a database on a server that it is given, and drops it", async () => {
    const env = await createTestEnvironment({ url, workflows: [one] });
    expect(await env.run(one, undefined)).toBe(1);
    expect(await hasDatabase(env.url)).toBe(true);
    await Promise.all([env.stop(), env.stop()]);
    expect(await hasDatabase(env.url)).toBe(false);
    await expect(env.idle()).rejects.toThrow(/was stopped/);
  });

  it("leaves no worker behind if a flow control is refused", async () => {
    const warned = vi.spyOn(process, "emitWarning");
    const refused = { ...one, flowControl: { concurrency: -1 } };
    // The one that the worker registers.
    const newest = { ...one, version: 2, flowControl: { concurrency: 1 } };
    await expect(createTestEnvironment({ url, workflows: [newest, refused] })).rejects.toThrow(
      "Invalid concurrency",
    );
    // As a worker does that loses its database.
    const ended = expect.stringContaining("the worker has ended");
    expect(warned).not.toHaveBeenCalledWith(ended, expect.anything());
    warned.mockRestore();
  });

  it("copies a database with the user's tables", async () => {
    const template = await createDatabase({ empty: true });
    await onDatabase(template.url, "create table account (id int, balance int)");
    await onDatabase(template.url, "insert into account values (7, 100)");
    const pay = workflow({
      name: "pay",
      run: (ctx) =>
        ctx.step.tx("pay", async (tx) => {
          const { rows } = await tx.query("update account set balance = 60 returning id");
          return rows.length;
        }),
    });
    await using env = await createTestEnvironment({
      url,
      template: template.name,
      workflows: [pay],
    });
    expect(await env.run(pay, undefined)).toBe(1);
    const { rows } = await onDatabase(env.url, "select balance from account");
    expect(rows).toEqual([{ balance: 60 }]);
  });

  it("does not wait for ever for a callback that does not end", async () => {
    const stuck = workflow({
      name: "stuck",
      run: (ctx) => ctx.step.run("forever", () => new Promise(() => {})),
    });
    const env = await createTestEnvironment({ url, workflows: [stuck] });
    const started = new Promise<void>((resolve) => {
      env.worker.events.on("stepStarted", () => resolve());
    });
    await env.client.start(stuck, undefined);
    await started;
    const beganAt = performance.now();
    await env.stop();
    expect(performance.now() - beganAt).toBeLessThan(10_000);
    expect(await hasDatabase(env.url)).toBe(false);
  });

  it("serves several versions, and reports which it doesn't", async () => {
    const two = workflow({ name: "one", version: 2, run: () => 2 });
    const env = await setupEnvironment([one, two]);
    expect(await env.run(two, undefined)).toBe(2);
    expect(await env.run(one, undefined)).toBe(1);
    await expect(env.run(one, undefined, { version: 3 })).rejects.toThrow(
      /doesn't serve version 3 of workflow "one"/,
    );
    const other = workflow({ name: "other", run: () => 1 });
    await expect(env.run(other, undefined)).rejects.toThrow(
      /doesn't serve version 1 of workflow "other"/,
    );
  });

  it("works under the test runner of Node", () => {
    const program = compiledFrom(new URL("programs/with-node-test.ts", import.meta.url)) ?? "";
    const { stdout } = spawnSync(process.execPath, [program, url], {
      encoding: "utf8",
      env: { PATH: process.env["PATH"] },
    });
    expect(stdout).toMatch(/pass 1/);
    expect(stdout).toMatch(/fail 0/);
  });
});

describe("an environment that can't be", () => {
  it.each<[string, Partial<TestEnvironmentOptions>, RegExp]>([
    ["without workflows", { workflows: [] }, /needs at least one workflow/],
    ["with a workflow twice", { workflows: [one, one] }, /"one" is given twice in version 1/],
    ["at an invalid url", { url: "localhost" }, /Invalid url "localhost/],
    ["in a mode that there isn't", { replay: "always" as never }, /Invalid replay "always"/],
    ["with a patience without unit", { patience: "30" }, /Invalid duration "30" for the patience/],
    ["with a concurrency of zero", { concurrency: 0 }, /Invalid concurrency 0/],
    ["of a template that is not there", { template: "nowhere" }, /"nowhere" does not exist/],
  ])("is refused: %s", async (_what, options, message) => {
    await expect(createTestEnvironment({ url, workflows: [one], ...options })).rejects.toThrow(
      message,
    );
  });

  it("leaves no database behind, on a server without other users", async () => {
    await using cluster = await startCluster({ durable: false });
    const databases = async (): Promise<unknown[]> => {
      const { rows } = await onDatabase(cluster.url, "select datname from pg_database order by 1");
      return rows as unknown[];
    };
    const before = await databases();
    const env = await createTestEnvironment({ url: cluster.url, workflows: [one] });
    const refused = createTestEnvironment({ url: cluster.url, workflows: [one, one] });
    await expect(refused).rejects.toThrow(/given twice/);
    expect(await databases()).toHaveLength(before.length + 1);
    await env.stop();
    expect(await databases()).toEqual(before);
  });
});

it("the database of an environment is known as such by the doctor", async () => {
  const env = await setupEnvironment([one]);
  const texts = (await diagnose(env.url)).map(({ text }) => text);
  expect(texts.join()).toMatch(/has the clock of a test/);
});

it("a database that was installed for production has no clock that could be moved", async () => {
  const database = await createDatabase({ empty: true });
  await migrate(database.url);
  expect(await database.query("select to_regnamespace('oxbow_test') as schema")).toEqual([
    { schema: null },
  ]);
  const moved = await database.query(
    `select from pg_proc
       where pronamespace = 'queue'::regnamespace
         and array_to_string(proconfig, ',') like '%oxbow_test%'`,
  );
  expect(moved).toEqual([]);
});
