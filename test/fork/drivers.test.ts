/** Forks of real clusters, with runs in flight and under load, by every driver that this machine has. */
import { execFileSync } from "node:child_process";
import { join } from "node:path";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { documents, oxbow } from "../helpers/command.ts";
import { connectTo } from "../helpers/connected.ts";
import { OLDEST_POSTGRES } from "../helpers/debian-postgres.ts";
import {
  expectDeclaredSurvivors,
  fillWithDeclaredSurvivors,
} from "../helpers/declared-survivors.ts";
import { eventually } from "../helpers/eventually.ts";
import { World } from "../helpers/forked-world.ts";
import {
  forkBy,
  forkInFlight,
  type Made,
  makeFolder,
  makeSubvolume,
  mountLoop,
  startSource,
  stopInTheEnd,
} from "../helpers/forks.ts";

describe("a fork with runs in flight, under load", () => {
  it("by snapshot on btrfs continues (needs root, loop devices and mkfs)", async ({ skip }) => {
    const mount = mountLoop(["mkfs.btrfs", "--quiet"]);
    if (mount === undefined) {
      skip("This machine can't mount btrfs.");
      return;
    }
    makeSubvolume(join(mount, "source"));
    const source = await startSource(mount);
    const target = join(mount, "fork");
    stopInTheEnd(target);
    const make = (): Promise<Made> => forkBy([source.url, target]);
    const { driver } = await forkInFlight({ source, each: 20, make });
    expect(driver).toBe("snapshot");
  });

  it("by copy on XFS is cloned (needs root, loop devices and mkfs)", async ({ skip }) => {
    const mount = mountLoop(["mkfs.xfs", "-q", "-m", "reflink=1"]);
    if (mount === undefined) {
      skip("This machine can't mount XFS.");
      return;
    }
    const source = await startSource(mount, OLDEST_POSTGRES);
    const target = join(mount, "fork");
    stopInTheEnd(target);
    const { stdout } = await oxbow(["fork", source.url, target, "--check", "--json"]);
    expect(stdout).toContain("clones the files of the cluster");
    const make = (): Promise<Made> => forkBy([source.url, target]);
    const { driver } = await forkInFlight({ source, each: 20, make });
    expect(driver).toBe("copy");
  });
});

it("a fork with declared runs in flight continues them in the fork and in its source", async () => {
  const folder = makeFolder();
  const cluster = await startPostgres({ dataDir: join(folder, "source") });
  onTestFinished(() => cluster.stop({ mode: "immediate" }));
  const url = await cluster.createDatabase("shop");
  await migrate(url);
  const source = await connectTo(url);
  await fillWithDeclaredSurvivors(url, source);
  const target = join(folder, "fork");
  stopInTheEnd(target);
  const made = await forkBy([url, target]);

  const fork = await connectTo(made.url);
  // No event is evaluated and no run received in a copy before it is released.
  const { rows } = await fork.query(
    `select (select count(*)::integer from queue.workflow_receive(array['@survivors'], max_runs => 100)) as runs,
         (select events from queue.trigger_receive('survivors', 10)) as events`,
  );
  expect(rows).toEqual([{ runs: 0, events: [] }]);
  const released = await oxbow(["fork", "release", "--as", "sandbox", "--url", made.url]);
  expect(released).toMatchObject({ code: 0, stderr: "" });
  // Each side decides its own approvals and starts its own runs; neither sees those of the other.
  await expectDeclaredSurvivors(made.url, fork);
  await expectDeclaredSurvivors(url, source);
});

describe("a fork", () => {
  it("in its source's cluster is refused during connections to the source, and made without any", async () => {
    const folder = makeFolder();
    const source = await startSource(folder);
    const { url } = source;
    // Programs that aren't there are no way to do it.
    const checked = await oxbow(["fork", url, "--check", "--json", "--bin-dir", "/nowhere"]);
    expect(documents(checked)).toMatchObject(
      ["snapshot", "copy", "basebackup", "template", "dump"].map((driver) => ({
        driver,
        isPossible: false,
      })),
    );
    expect(checked.stdout).toContain("/nowhere/pg_dump doesn't exist");
    await source.query(
      "create role plain login; grant pg_read_all_settings, oxbow_admin to plain; grant connect on database shop to plain",
    );
    const asPlain = await oxbow(["fork", url.replace("postgres@", "plain@"), "--check", "--json"]);
    expect(documents(asPlain)).toMatchObject([
      { driver: "snapshot", isPossible: false },
      { cost: expect.stringContaining("may not make backups") as unknown },
      { cost: expect.stringMatching(/may not replicate/) as unknown },
      { driver: "template" },
      { driver: "dump" },
    ]);
    expect(await oxbow(["fork", url, "beside"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is connected to "shop"') as unknown,
    });
    await source.close();
    const made = await eventually(
      () => forkBy([url, "beside"]),
      () => true,
    );
    expect(made).toMatchObject({ driver: "template", url: url.replace("/shop", "/beside") });
    const status = await oxbow(["fork", "status", "--url", made.url, "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: "held" });
  });

  it("of a url with several servers, the first of which is gone, is held in a directory", async () => {
    const folder = makeFolder();
    const source = await startSource(folder);
    const url = source.url.replace("postgres@", "postgres:secret@127.0.0.1:1,");
    const target = join(folder, "fork");
    stopInTheEnd(target);
    const made = await forkBy([url, target]);
    expect(made.url).toMatch(/^postgres:\/\/postgres:secret@127\.0\.0\.1:\d+\/shop$/);
    expect(made.url).not.toContain(new URL(source.url).port);
    const status = await oxbow(["fork", "status", "--url", made.url, "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: "held" });
  });

  it("of a cluster that is down, by its directory, is held", async () => {
    const folder = makeFolder();
    const dataDir = join(folder, "source");
    const cluster = await startPostgres({ dataDir, ...OLDEST_POSTGRES });
    await migrate(await cluster.createDatabase("shop"));
    await cluster.stop();
    expect(await oxbow(["fork", "adopt", dataDir])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("was shut down cleanly") as unknown,
    });
    const target = join(folder, "fork");
    stopInTheEnd(target);
    const made = await forkBy([dataDir, target]);
    expect(made.url).toMatch(/\/shop$/);
    const status = await oxbow(["fork", "status", "--url", made.url, "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: "held", origin: "fork of a cluster" });
  });

  it("of a snapshot that was made while the source worked is held, by copy and where it is", async ({
    skip,
  }) => {
    const mount = mountLoop(["mkfs.btrfs", "--quiet"]);
    if (mount === undefined) {
      skip("This machine can't mount btrfs.");
      return;
    }
    const [dataDir, taken] = [join(mount, "source"), join(mount, "taken")];
    makeSubvolume(dataDir);
    const { url, client } = await startSource(mount, OLDEST_POSTGRES);
    const { runId: early } = await client.start("ping", null);
    execFileSync("btrfs", ["subvolume", "snapshot", dataDir, taken], { stdio: "pipe" });
    const { runId: late } = await client.start("ping", null);

    expect(await oxbow(["fork", "adopt", dataDir])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`A server runs on ${dataDir}`) as unknown,
    });
    const copied = join(mount, "copied");
    stopInTheEnd(copied);
    const cloned = await forkBy([taken, copied, "--driver", "copy"]);
    stopInTheEnd(taken);
    const { code, stdout } = await oxbow(["fork", "adopt", taken, "--json"]);
    expect(code).toBe(0);
    for (const made of [cloned, JSON.parse(stdout) as Made]) {
      expect(made.url).not.toBe(url);
      expect(made.url).toMatch(/\/shop$/);
      const fork = await World.open(made.url);
      onTestFinished(() => fork.close());
      expect(await fork.query("select state, origin from queue.incarnation()")).toEqual([
        { state: "held", origin: "fork of a cluster" },
      ]);
      expect(await fork.query("select run_id from queue.workflow_list()")).toEqual([
        { run_id: early },
      ]);
      expect(await fork.query("select * from pg_replication_slots")).toEqual([]);
    }
    expect(early).not.toBe(late);
  });

  it.each([
    [["fork"], 2, "Give a source"],
    [["fork", "postgres://x"], 2, "Give a target"],
    [["fork", "/nowhere", "x"], 1, '"/nowhere" is neither a url'],
    [["fork", "release"], 2, "--as"],
    [["fork", "release", "--as", "dead", "--url", "postgres://x"], 2, 'Invalid --as "dead"'],
    [["fork", "stop", "/nowhere"], 6, "No server runs on /nowhere"],
    [["fork", "adopt", "/nowhere"], 1, '"/nowhere" is not a data directory'],
  ] as const)(
    "asked for wrongly (%j) ends with %i, and says what to do",
    async (args, code, text) => {
      const end = await oxbow(args);
      expect(end).toMatchObject({ code, stderr: expect.stringContaining(text) as unknown });
    },
  );
});
