import { spawn } from "node:child_process";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { chooseServerUser, findBinaries, findFreePort } from "@oxbow/sdk/internal/testing";
import { type Cluster, startPostgres } from "@oxbow/sdk/testing";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from "vitest";

async function query(url: string, text: string): Promise<unknown[][]> {
  const client = new pg.Client(url);
  await client.connect();
  try {
    const { rows } = await client.query<unknown[]>({ text, rowMode: "array" });
    return rows;
  } finally {
    await client.end();
  }
}

/** A process that has ended, but was not waited for yet, has no command line any more. */
function isRunning(pid: number): boolean {
  const commandLine = `/proc/${pid}/cmdline`;
  return existsSync(commandLine) && readFileSync(commandLine, "utf8") !== "";
}

function makeFolder(mode: number): string {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-cluster-of-test-"));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  chmodSync(folder, mode);
  return folder;
}

describe("a running cluster", () => {
  let cluster: Cluster;

  beforeAll(async () => {
    cluster = await startPostgres({ settings: { work_mem: "5MB" } });
  });

  afterAll(() => cluster.stop({ mode: "immediate" }));

  it("accepts connections as soon as it is started", async () => {
    expect(await query(cluster.url, "select 1")).toEqual([[1]]);
  });

  it("runs as another account when this process is root's", () => {
    const { uid } = statSync(cluster.dataDir);
    expect(uid === 0).toBe(false);
    expect(uid === process.getuid?.()).toBe(process.getuid?.() !== 0);
  });

  it("is durable by default, and has the given settings", async () => {
    expect(await query(cluster.url, "show fsync")).toEqual([["on"]]);
    expect(await query(cluster.url, "show work_mem")).toEqual([["5MB"]]);
  });

  it("copies a database from a template, and drops one that is in use", async () => {
    const template = await cluster.createDatabase("template");
    await query(template, "create table t as select 1 as n");
    const copy = await cluster.createDatabase("a copy", { template: "template" });
    const guest = new pg.Client(copy);
    guest.on("error", () => {});
    await guest.connect();
    expect(await query(copy, "select n from t")).toEqual([[1]]);
    await cluster.dropDatabase("a copy");
    await cluster.dropDatabase("a copy");
    await expect(query(copy, "select 1")).rejects.toThrow("does not exist");
  });
});

describe("a cluster", () => {
  async function setup(): Promise<Cluster> {
    const cluster = await startPostgres({ durable: false });
    onTestFinished(() => cluster.stop({ mode: "immediate" }));
    return cluster;
  }

  it("keeps committed data over a crash, at the same url, and leaves no backend at work", async () => {
    const cluster = await setup();
    const { url } = cluster;
    await query(url, "create table t as select generate_series(1, 10) as n");
    const client = new pg.Client(url);
    client.on("error", () => {});
    await client.connect();
    const { rows } = await client.query<{ pid: number }>("select pg_backend_pid() as pid");
    const busy = client.query("select pg_sleep(60)");

    await Promise.all([expect(busy).rejects.toThrow(), cluster.kill()]);
    expect(isRunning(rows[0]?.pid ?? 0)).toBe(false);
    await expect(query(url, "select 1")).rejects.toThrow("ECONNREFUSED");

    await cluster.restart();
    expect(cluster.url).toBe(url);
    expect(await query(url, "select count(*)::int from t")).toEqual([[10]]);
  });

  it("removes its data when it is stopped, however often", async () => {
    const cluster = await setup();
    const { pid, dataDir } = cluster;
    await cluster.stop();
    await cluster.stop();
    expect(isRunning(pid)).toBe(false);
    expect(existsSync(dataDir)).toBe(false);
    await expect(cluster.restart()).rejects.toThrow("stopped for good");
  });

  it("keeps a data directory that it was given", async () => {
    const dataDir = join(makeFolder(0o755), "kept");
    {
      await using first = await startPostgres({ dataDir, durable: false });
      await query(first.url, "create table t as select 1 as n");
    }
    await using second = await startPostgres({ dataDir, durable: false });
    expect(await query(second.url, "select n from t")).toEqual([[1]]);
  });

  it("starts after a crash of the machine, though another program has the id of its process", async () => {
    const dataDir = join(makeFolder(0o755), "crashed");
    const first = await startPostgres({ dataDir, durable: false });
    await query(first.url, "create table t as select 1 as n");
    const lock = join(dataDir, "postmaster.pid");
    const content = readFileSync(lock, "utf8");
    await first.kill();
    await first.stop();
    const other = spawn("sleep", ["600"], { ...chooseServerUser(dataDir) });
    onTestFinished(() => void other.kill());
    writeFileSync(lock, content.replace(/^\d+/, String(other.pid)));
    await using second = await startPostgres({ dataDir, durable: false });
    expect(await query(second.url, "select n from t")).toEqual([[1]]);
    // A server in use keeps its data for itself.
    await expect(startPostgres({ dataDir, durable: false })).rejects.toThrow(
      '"postmaster.pid" already exists',
    );
  });

  it("reports why it did not start", async () => {
    await expect(startPostgres({ settings: { shared_buffers: "none" } })).rejects.toThrow(
      'invalid value for parameter "shared_buffers"',
    );
    await expect(startPostgres({ binDir: "/nowhere" })).rejects.toThrow("There is no");
    await expect(startPostgres({ extensionDir: "/nowhere" })).rejects.toThrow("Was it built?");
  });

  it("leaves nothing behind when it gives up immediately", async () => {
    const binDir = dirname(findBinaries(undefined, chooseServerUser(undefined)).postgres);
    const folder = makeFolder(0o777);
    vi.stubEnv("TMPDIR", folder);
    onTestFinished(() => void vi.unstubAllEnvs());
    const dataDir = join(folder, "data");
    mkdirSync(dataDir);
    writeFileSync(join(dataDir, "somebody's"), "");
    await expect(startPostgres({ dataDir, binDir })).rejects.toThrow("initdb could not make");
    expect(readdirSync(folder)).toEqual(["data"]);
  });
});

it("takes the preferred port, or another one if it is taken first", async () => {
  const preferredPort = await findFreePort();
  const clusters = await Promise.all(
    [1, 2].map(() => startPostgres({ preferredPort, durable: false })),
  );
  onTestFinished(async () => {
    await Promise.all(clusters.map((each) => each.stop({ mode: "immediate" })));
  });
  const ports = clusters.map(({ port }) => port);
  expect(ports).toContain(preferredPort);
  expect(new Set(ports).size).toBe(2);
  for (const { url } of clusters) expect(await query(url, "select 1")).toEqual([[1]]);
});
