/** Forks of real clusters in tests: the file systems, the source under load, and what must be so of both sides. */
import { execFileSync } from "node:child_process";
import { chmodSync, chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chooseServerUser } from "@oxbow/sdk/internal/testing";
import { migrate } from "@oxbow/sdk/internal/server";
import { startPostgres } from "@oxbow/sdk/testing";
import { expect, onTestFinished } from "vitest";
import { oxbow } from "./command.ts";
import { atLeast, eventually } from "./eventually.ts";
import { expectLanded, type Flight, signalAll, World } from "./forked-world.ts";

export interface Made {
  readonly driver: string;
  readonly url: string;
}

/** A folder that the account of the server may enter. */
export function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-forks-"));
  chmodSync(folder, 0o755);
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

const isRoot = process.getuid?.() === 0;
const has = (program: string): boolean =>
  ["/usr/sbin", "/sbin", "/usr/bin"].some((folder) => existsSync(join(folder, program)));

/** Mounts a new file system; undefined where the kernel or its owner doesn't let us. */
export function mountLoop(make: readonly string[]): string | undefined {
  if (!isRoot || !has(make[0] ?? "")) return undefined;
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

/** Makes a subvolume of btrfs that a cluster can be made in. */
export function makeSubvolume(path: string): void {
  execFileSync("btrfs", ["subvolume", "create", path], { stdio: "pipe" });
  const user = chooseServerUser(undefined);
  if (user !== undefined) chownSync(path, user.uid, user.gid);
}

export async function startSource(
  folder: string,
  options: { readonly binDir?: string } = {},
): Promise<World> {
  const cluster = await startPostgres({
    dataDir: join(folder, "source"),
    settings: { max_connections: "60" },
    ...options,
  });
  onTestFinished(() => cluster.stop({ mode: "immediate" }));
  const url = await cluster.createDatabase("shop");
  await migrate(url);
  const source = await World.openSource(url);
  onTestFinished(() => source.close());
  return source;
}

export async function forkBy(args: readonly string[]): Promise<Made> {
  const { code, stdout, stderr } = await oxbow(["fork", ...args, "--json"]);
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as Made;
}

export function stopInTheEnd(directory: string): void {
  onTestFinished(async () => {
    await oxbow(["fork", "stop", directory]);
  });
}

/** When the source did what, in ms since the epoch. */
export interface Load {
  readonly ended: readonly number[];
  readonly forkedFrom: number;
  readonly forkedUntil: number;
}

/** Runs that come and go in the source all the time; `stop` returns when they ended. */
function load(source: World): { ended: readonly number[]; stop: () => Promise<void> } {
  const stopping = new AbortController();
  const ended: number[] = [];
  const work = Array.from({ length: 4 }, async () => {
    while (!stopping.signal.aborted) {
      const run = await source.client.start("ping", null);
      await run.result();
      ended.push(Date.now());
    }
  });
  return {
    ended,
    stop: async () => {
      stopping.abort();
      await Promise.all(work);
    },
  };
}

export interface Scenario {
  readonly source: World;
  readonly each: number;
  readonly make: () => Promise<Made>;
  /** Runs that end in the source before the fork begins, and after it is made. */
  readonly loadAround?: number;
}

const MINUTE_MS = 60_000;
/** Longer than any test takes, so that nothing falls due before the clocks are moved. */
const DUE_IN_MS = 30 * MINUTE_MS;

export async function forkInFlight(scenario: Scenario): Promise<Made & { readonly load: Load }> {
  const { source, each, make, loadAround = 1 } = scenario;
  source.serve(DUE_IN_MS);
  const until = new Date(Date.now() + DUE_IN_MS);
  const flight: Flight = await source.takeOff(each, until);
  const before = await source.deadlines(flight);
  const working = load(source);
  const more = (count: number): Promise<unknown> => {
    const enough = working.ended.length + count;
    return eventually(() => working.ended.length, atLeast(enough));
  };
  await more(loadAround);
  const forkedFrom = Date.now();
  const made = await make();
  const forkedUntil = Date.now();
  await more(loadAround);
  await working.stop();
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

  fork.serve(DUE_IN_MS);
  await signalAll(fork, flight);
  // Signals sent there have not arrived here.
  expect((await source.activities(flight)).waiter).toBe("waiting");
  fork.openGate();
  await eventually(() => fork.activities(flight), { holder: "completed" });
  expect((await source.activities(flight)).holder).toBe("executing");
  await signalAll(source, flight);
  source.openGate();
  // Retries fall due a little later, by when their runs failed.
  const allDue = new Date(until.getTime() + 5 * MINUTE_MS);
  await Promise.all([source.skipTo(allDue), fork.skipTo(allDue)]);
  await Promise.all([expectLanded(source, flight, until), expectLanded(fork, flight, until)]);
  return { ...made, load: { ended: working.ended, forkedFrom, forkedUntil } };
}
