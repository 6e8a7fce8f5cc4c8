/** Forks of real clusters, with runs in flight and under load, by every driver that this machine has. */
import { execFileSync } from "node:child_process";
import { chmodSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { migrate } from "@oxbow/sdk/internal";
import { startPostgres } from "@oxbow/sdk/testing";
import { describe, expect, it, onTestFinished } from "vitest";
import { oxbow } from "../helpers/command.ts";
import { debianPostgres } from "../helpers/debian-postgres.ts";
import { eventually } from "../helpers/eventually.ts";
import { expectLanded, type Flight, signalAll, World } from "../helpers/forked-world.ts";

interface Made {
  readonly driver: string;
  readonly url: string;
}

/** A folder that the account of the server may enter. */
function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-forks-"));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const isRoot = process.getuid?.() === 0;
const has = (program: string): boolean =>
  ["/usr/sbin", "/sbin", "/usr/bin"].some((folder) => existsSync(join(folder, program)));

/** Mounts a new file system; undefined where the kernel or its owner doesn't let us. */
function mountLoop(make: readonly string[]): string | undefined {
  const folder = makeFolder();
  const [image, mount] = [join(folder, "image"), join(folder, "mount")];
  const [program = "", ...options] = make;
  try {
    execFileSync("truncate", ["--size=1G", image]);
    execFileSync(program, [...options, image], { stdio: "pipe" });
    mkdirSync(mount);
    execFileSync("mount", ["-o", "loop", image, mount], { stdio: "pipe" });
  } catch {
    return undefined;
  }
  onTestFinished(() => void execFileSync("umount", ["--lazy", mount]));
  chmodSync(mount, 0o755);
  return mount;
}

async function startSource(folder: string, binDir?: string): Promise<World> {
  const cluster = await startPostgres({
    dataDir: join(folder, "source"),
    settings: { max_connections: "60" },
    ...(binDir === undefined ? {} : { binDir }),
  });
  onTestFinished(() => cluster.stop({ mode: "immediate" }));
  const url = await cluster.createDatabase("shop");
  await migrate(url);
  const source = await World.open(url);
  onTestFinished(() => source.close());
  return source;
}

async function forkBy(args: readonly string[]): Promise<Made> {
  const { code, stdout, stderr } = await oxbow(["fork", ...args, "--json"]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Made;
}

function stopInTheEnd(directory: string): void {
  onTestFinished(async () => {
    await oxbow(["fork", "stop", directory]);
  });
}

/** Runs that come and go in the source all the time; `stop` tells how many did. */
function load(source: World): { stop: () => Promise<number> } {
  const stopping = new AbortController();
  let done = 0;
  const work = (async () => {
    while (!stopping.signal.aborted) {
      const run = await source.client.start("ping", null);
      await run.result();
      done += 1;
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await work;
      return done;
    },
  };
}

interface Scenario {
  readonly source: World;
  readonly each: number;
  readonly inMs: number;
  readonly make: () => Promise<Made>;
}

async function forkInFlight({ source, each, inMs, make }: Scenario): Promise<Made> {
  source.serve(inMs);
  const until = new Date(Date.now() + inMs);
  const flight: Flight = await source.takeOff(each, until);
  const before = await source.deadlines(flight);
  const working = load(source);
  const made = await make();
  expect(await working.stop()).toBeGreaterThan(0);
  expect(await source.deadlines(flight)).toEqual(before);

  const fork = await World.open(made.url, source);
  onTestFinished(() => fork.close());
  expect(await fork.query("select state from queue.incarnation()")).toEqual([{ state: "held" }]);
  expect(await fork.deadlines(flight)).toEqual(before);
  const kinds = ["napper", "waiter", "stored", "retrier", "holder", "parent"];
  expect(
    await fork.query("select * from queue.workflow_receive($1, max_runs => 1000)", [kinds]),
  ).toEqual([]);

  const released = await oxbow(["fork", "release", "--as", "sandbox", "--url", made.url, "--json"]);
  expect(released).toMatchObject({ code: 0, stderr: "" });
  expect(JSON.parse(released.stdout)).toMatchObject({ state: "sandbox" });
  expect(await fork.deadlines(flight)).toEqual(before);

  fork.serve(inMs);
  await signalAll(fork, flight);
  // What was signalled there has not been signalled here.
  expect((await source.activities(flight)).waiter).toBe("waiting");
  fork.openGate();
  await eventually(
    () => fork.activities(flight),
    (found) => found.holder === "completed",
    { withinMs: 30_000 },
  );
  expect((await source.activities(flight)).holder).toBe("executing");
  await signalAll(source, flight);
  source.openGate();
  await Promise.all([expectLanded(source, flight, until), expectLanded(fork, flight, until)]);
  return made;
}

describe("a fork with runs in flight, under load", () => {
  it("by copy has a thousand of them, each with its deadline, and both go on by themselves", async () => {
    const folder = makeFolder();
    const source = await startSource(folder);
    const target = join(folder, "fork");
    stopInTheEnd(target);
    const make = (): Promise<Made> => forkBy([source.url, target]);
    expect(await forkInFlight({ source, each: 167, inMs: 60_000, make })).toMatchObject({
      driver: "copy",
    });
  }, 180_000);

  it.for([
    ["btrfs", ["mkfs.btrfs", "--quiet"]],
    ["xfs", ["mkfs.xfs", "-q", "-m", "reflink=1"]],
  ] as const)(
    "by copy on %s is cloned (needs root, loop devices and mkfs)",
    { timeout: 120_000 },
    async ([system, [program, ...options]], { skip }) => {
      const mount = isRoot && has(program) ? mountLoop([program, ...options]) : undefined;
      if (mount === undefined) {
        skip(`This machine can't mount ${system}.`);
        return;
      }
      const source = await startSource(mount);
      const target = join(mount, "fork");
      stopInTheEnd(target);
      const { stdout } = await oxbow(["fork", source.url, target, "--check", "--json"]);
      expect(stdout).toContain("are cloned, which takes no space");
      const make = (): Promise<Made> => forkBy([source.url, target]);
      await forkInFlight({ source, each: 20, inMs: 25_000, make });
    },
  );

  describe.runIf(debianPostgres.isInstalled)("with PostgreSQL 15 (needs Debian's)", () => {
    it("by basebackup goes on", async () => {
      const folder = makeFolder();
      const source = await startSource(folder, debianPostgres.binDir);
      const target = join(folder, "fork");
      stopInTheEnd(target);
      const make = (): Promise<Made> => forkBy([source.url, target, "--driver", "basebackup"]);
      await forkInFlight({ source, each: 20, inMs: 25_000, make });
    }, 120_000);

    it("by a dump into another cluster goes on", async () => {
      const folder = makeFolder();
      const source = await startSource(folder, debianPostgres.binDir);
      const other = await startPostgres({ binDir: debianPostgres.binDir, durable: false });
      onTestFinished(() => other.stop({ mode: "immediate" }));
      const target = await other.createDatabase("restored");
      const make = (): Promise<Made> => forkBy([source.url, target]);
      await forkInFlight({ source, each: 20, inMs: 25_000, make });
    }, 120_000);
  });
});

describe("a fork", () => {
  it("beside its source is refused while somebody is connected there, and made when nobody is", async () => {
    const folder = makeFolder();
    const source = await startSource(folder);
    const { url } = source;
    expect(await oxbow(["fork", url, "beside"])).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('is connected to "shop", and nobody may be') as unknown,
    });
    await source.close();
    const made = await eventually(
      () => forkBy([url, "beside"]),
      () => true,
      { withinMs: 10_000 },
    );
    expect(made).toMatchObject({ driver: "template", url: url.replace("/shop", "/beside") });
    const status = await oxbow(["fork", "status", "--url", made.url, "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: "held" });
  }, 60_000);

  it("of a cluster that is down, by its directory, is held", async () => {
    const folder = makeFolder();
    const dataDir = join(folder, "source");
    const cluster = await startPostgres({ dataDir });
    await migrate(await cluster.createDatabase("shop"));
    await cluster.stop();
    const target = join(folder, "fork");
    stopInTheEnd(target);
    const made = await forkBy([dataDir, target]);
    expect(made.url).toMatch(/\/shop$/);
    const status = await oxbow(["fork", "status", "--url", made.url, "--json"]);
    expect(JSON.parse(status.stdout)).toMatchObject({ state: "held", origin: "fork of a cluster" });
  }, 60_000);

  it.each([
    [["fork"], 2, "Name the source"],
    [["fork", "postgres://x"], 2, "Name the target"],
    [["fork", "/nowhere", "x"], 1, '"/nowhere" is neither a url'],
    [["fork", "release"], 2, "--as"],
    [["fork", "release", "--as", "dead", "--url", "postgres://x"], 2, 'Invalid --as "dead"'],
    [["fork", "stop", "/nowhere"], 6, "No server runs on /nowhere"],
  ] as const)(
    "asked for wrongly (%j) ends with %i, and says what to do",
    async (args, code, text) => {
      const end = await oxbow(args);
      expect(end).toMatchObject({ code, stderr: expect.stringContaining(text) as unknown });
    },
  );
});
