/**
 * `make bench-fork`: what a fork costs, by driver, file system and size: time, bytes on disk, how many small commits a
 * second the source made before, during and after, and the longest of them. As root, with btrfs-progs, xfsprogs and
 * PostgreSQL 15 of Debian. Prints the table of docs/fork.md.
 */
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statfsSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { setTimeout } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { chooseServerUser } from "@oxbow/sdk/internal/testing";
import { migrate } from "@oxbow/sdk/internal/server";
import { type Cluster, startPostgres } from "@oxbow/sdk/testing";
import { connectTo } from "./measure/connect.ts";

const OXBOW = fileURLToPath(new URL("../server/src/cli/index.ts", import.meta.url));
const DEBIAN = "/usr/lib/postgresql/15/bin";
const MIB = 1_048_576;
/** For which commits are counted before and after a fork. */
const AROUND_MS = 4_000;
const SIZES = [
  { name: "10 MB", bytes: 10 * MIB },
  { name: "1 GB", bytes: 1_024 * MIB },
];
const SYSTEMS = [
  { name: "ext4", make: ["mkfs.ext4", "-q"] },
  { name: "btrfs", make: ["mkfs.btrfs", "--quiet"] },
  { name: "XFS", make: ["mkfs.xfs", "-q", "-m", "reflink=1"] },
];

interface Made {
  readonly url: string;
  readonly tookMs: number;
}

async function oxbow(...args: string[]): Promise<string> {
  const child = spawn(
    process.execPath,
    ["--import", import.meta.resolve("tsx"), "--conditions=oxbow-source", OXBOW, ...args],
    { stdio: ["ignore", "pipe", "inherit"] },
  );
  const [printed] = await Promise.all([text(child.stdout), once(child, "close")]);
  return printed;
}

/** Runs `use` in a folder of a file system, and takes that away. */
async function onSystem(
  make: readonly string[],
  use: (folder: string) => Promise<void>,
): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), "oxbow-bench-fork-"));
  chmodSync(folder, 0o755);
  const mount = join(folder, "mount");
  mkdirSync(mount);
  const [program = "", ...options] = make;
  const image = join(folder, "image");
  execFileSync("truncate", ["--size=12G", image]);
  execFileSync(program, [...options, image]);
  execFileSync("mount", ["-o", "loop", image, mount]);
  chmodSync(mount, 0o755);
  try {
    await use(mount);
  } finally {
    execFileSync("umount", ["--lazy", mount]);
    rmSync(folder, { recursive: true, force: true });
  }
}

async function fill(cluster: Cluster, bytes: number): Promise<string> {
  const url = await cluster.createDatabase("shop");
  await migrate(url);
  const client = await connectTo(url);
  await client.query("create table filler (id bigint primary key, body text)");
  const { rows } = await client.query<{ bytes: number }>(
    "select pg_database_size(current_database())::float8 as bytes",
  );
  const missing = Math.max(0, Math.round((bytes - (rows[0]?.bytes ?? 0)) / 1_100));
  await client.query(
    `insert into filler
     select n, (select string_agg(md5(n::text || i), '') from generate_series(1, 32) as i)
     from generate_series(1, $1::int) as n`,
    [missing],
  );
  await client.query("checkpoint");
  await client.end();
  return url;
}

/** Small commits to the source, one after the other. */
class Committing {
  readonly #ended: number[] = [];
  readonly #stopping = new AbortController();
  readonly #work: Promise<void>;

  constructor(url: string) {
    this.#work = this.#commit(url);
  }

  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#work;
  }

  /** How many a second in that time, and how long the longest took, in ms. */
  between(from: number, until: number): { readonly rate: number; readonly longest: number } {
    const first = this.#ended.findIndex((at) => at >= from);
    const times = this.#ended.slice(Math.max(0, first - 1)).filter((at) => at <= until);
    const next = this.#ended.find((at) => at > until);
    const ends = next === undefined ? times : [...times, next];
    return {
      rate: ((times.length - 1) * 1_000) / (until - from),
      longest: Math.max(0, ...ends.slice(1).map((at, n) => at - (ends[n] ?? at))),
    };
  }

  async #commit(url: string): Promise<void> {
    const client = await connectTo(url);
    await client.query("select queue.create_queue('load')");
    while (!this.#stopping.signal.aborted) {
      await client.query("select queue.send('load', '{}')");
      this.#ended.push(performance.now());
    }
    await client.query("select queue.drop_queue('load')");
    await client.end();
  }
}

const used = (folder: string): number => {
  execFileSync("sync", ["--file-system", folder]);
  const { blocks, bfree, bsize } = statfsSync(folder);
  return (blocks - bfree) * bsize;
};

function commitsIn(committing: Committing, from: number, until: number): string[] {
  const windows = [
    committing.between(from - AROUND_MS, from),
    committing.between(from, until),
    committing.between(until, until + AROUND_MS),
  ];
  return [
    windows.map(({ rate }) => Math.round(rate)).join(", "),
    `${Math.round(windows[1]?.longest ?? 0)} ms`,
  ];
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(2)} s`;

async function measure(
  row: readonly string[],
  folder: string,
  url: string,
  { driver, target }: { readonly driver: string; readonly target: string },
): Promise<void> {
  const committing = driver === "template" ? undefined : new Committing(url);
  if (committing !== undefined) await setTimeout(AROUND_MS);
  const before = used(folder);
  const startedAt = performance.now();
  const made = JSON.parse(await oxbow("fork", url, target, "--driver", driver, "--json")) as Made;
  const endedAt = performance.now();
  const bytes = used(folder) - before;
  if (committing !== undefined) await setTimeout(AROUND_MS);
  await committing?.stop();
  const isDirectory = target.startsWith("/");
  if (isDirectory) {
    await oxbow("fork", "stop", target);
    rmSync(target, { recursive: true });
  }
  const cells = [
    driver,
    ...row,
    seconds(made.tookMs),
    `${Math.round(bytes / MIB)} MiB`,
    ...(committing === undefined
      ? ["no connections", ""]
      : commitsIn(committing, startedAt, endedAt)),
  ];
  process.stdout.write(`| ${cells.join(" | ")} |\n`);
}

process.stdout.write(
  "| driver | file system | database | time | bytes | commits a second: before, during, after | longest commit |\n| --- | --- | --- | --- | --- | --- | --- |\n",
);
for (const { name: system, make } of SYSTEMS) {
  for (const { name: size, bytes } of SIZES) {
    await onSystem(make, async (folder) => {
      const row = [system, size];
      if (system === "btrfs") {
        const dataDir = join(folder, "source");
        execFileSync("btrfs", ["subvolume", "create", dataDir], { stdio: "ignore" });
        const user = chooseServerUser(undefined);
        if (user !== undefined) chownSync(dataDir, user.uid, user.gid);
      }
      await using source = await startPostgres({ dataDir: join(folder, "source"), binDir: DEBIAN });
      const url = await fill(source, bytes);
      if (system === "btrfs") {
        await measure(row, folder, url, { driver: "snapshot", target: join(folder, "snapshot") });
      }
      await measure(row, folder, url, { driver: "copy", target: join(folder, "copy") });
      if (system === "ext4") {
        await measure(row, folder, url, { driver: "basebackup", target: join(folder, "base") });
        await source.createDatabase("restored");
        await measure(row, folder, url, { driver: "dump", target: source.urlOf("restored") });
        await source.dropDatabase("restored");
      }
    });
    // PostgreSQL 18, which clones.
    await onSystem(make, async (folder) => {
      await using source = await startPostgres({ dataDir: join(folder, "source") });
      const url = await fill(source, bytes);
      await measure([system, size], folder, url, { driver: "template", target: "beside" });
    });
  }
}
