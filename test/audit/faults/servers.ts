/** Faults of the database's server: crashes, restarts, failovers, full disks. */
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { chooseServerUser } from "@oxbow/sdk/internal/testing";
import { startPostgres } from "@oxbow/sdk/testing";
import type { Fault, Scene } from "../fault.ts";
import { monotonic } from "../record.ts";
import { NOTHING } from "../workload/plan.ts";
import { Pair } from "../../helpers/standby.ts";
import { USUAL_SETTINGS, type WorldOptions } from "../world/world.ts";

const pairWorld: Partial<WorldOptions> = {
  cluster: () => Pair.start(USUAL_SETTINGS),
  prepare: async ({ cluster }) => {
    if (cluster instanceof Pair) await cluster.follow();
  },
};

async function failOver(
  { world }: Scene,
  { losingMs }: { losingMs: number },
): Promise<{ lost?: { from: number; to: number } }> {
  const pair = world.cluster;
  if (!(pair instanceof Pair)) throw new Error("This world has no standby.");
  await pair.caughtUp();
  const from = monotonic();
  if (losingMs > 0) {
    await pair.sever();
    await pause(losingMs);
  } else {
    // An unreachable primary acknowledges nothing more.
    for (const network of [...world.networks, world.backbone]) {
      network.change({ isParted: true });
    }
    await pair.caughtUp();
  }
  await pair.failOver();
  await pause(losingMs > 0 ? 1_500 : 0);
  for (const network of [...world.networks, world.backbone]) {
    network.clear();
    network.leadTo(world.url);
  }
  // Calls acknowledged by the primary may be recorded a moment later.
  return losingMs > 0 ? { lost: { from: from - 500, to: monotonic() } } : {};
}

/** Mounts a small file system. Needs the right to do so. */
function mountDisk(megabytes: number): string {
  const path = mkdtempSync(join(tmpdir(), "oxbow-disk-"));
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${megabytes}m,mode=0777`, "tmpfs", path], {
    stdio: "ignore",
  });
  process.on("exit", () => {
    try {
      execFileSync("umount", ["-l", path], { stdio: "ignore" });
      rmSync(path, { recursive: true });
    } catch {
      // It was unmounted before.
    }
  });
  return path;
}

const cannotMount = (): string | undefined => {
  try {
    const path = mountDisk(1);
    execFileSync("umount", [path]);
  } catch {
    return "needs the right to mount a file system";
  }
  return undefined;
};

function giveToServer(path: string): void {
  const user = chooseServerUser(undefined);
  if (user !== undefined) chownSync(path, user.uid, user.gid);
  chmodSync(path, 0o700);
}

/** Fills a disk, except for some bytes. */
function fill(disk: string, leaving: number): string {
  const ballast = join(disk, "ballast");
  const free = Number(
    execFileSync("df", ["--output=avail", "-B1", disk], { encoding: "utf8" }).split("\n")[1],
  );
  try {
    writeFileSync(ballast, Buffer.alloc(Math.max(0, free - leaving)));
  } catch (error) {
    // The database has taken some of it meanwhile.
    if ((error as NodeJS.ErrnoException).code !== "ENOSPC") throw error;
  }
  return ballast;
}

let dataDisk = "";
let walDisk = "";

const bigWorld = {
  full: "a disk that holds the tables",
  wal: "a disk that holds the log",
} as const;

export const SERVER_FAULTS: readonly Fault[] = [
  {
    name: "postgres killed",
    injects: "SIGKILL to all processes of the server, and its start",
    inject: async ({ world }) => {
      await world.cluster.kill();
      await world.cluster.start();
    },
  },
  {
    name: "postgres killed for 6 s",
    injects: "SIGKILL to all processes of the server, which is away for 6 s",
    inject: async ({ world }) => {
      await world.cluster.kill();
      await pause(6_000);
      await world.cluster.start();
    },
  },
  {
    name: "postgres restarted",
    injects: "a fast restart of the server",
    inject: ({ world }) => world.cluster.restart({ mode: "fast" }),
  },
  {
    name: "postgres restarted at once",
    injects: "an immediate restart of the server, which recovers",
    inject: ({ world }) => world.cluster.restart({ mode: "immediate" }),
  },
  {
    name: "postgres restarted again and again",
    injects: "four immediate restarts, 1.5 s apart",
    load: { overMs: 7_000 },
    inject: async ({ world }) => {
      for (let time = 0; time < 4; time += 1) {
        await world.cluster.restart({ mode: "immediate" });
        await pause(1_500);
      }
    },
  },
  {
    name: "crash that loses a tail",
    injects: "a crash with synchronous_commit = off, after 1.5 s that the log has not reached",
    promises:
      "acknowledgements of these 1.5 s may be lost; every remaining run is consistent and ends",
    world: {},
    load: { overMs: 5_000 },
    inject: async ({ world }) => {
      for (const setting of [
        "synchronous_commit = off",
        "wal_writer_delay = '10s'",
        "wal_writer_flush_after = '1GB'",
      ]) {
        await world.query(`alter system set ${setting}`);
      }
      await world.query("select pg_reload_conf()");
      await world.query("checkpoint");
      const from = monotonic();
      await pause(1_500);
      await world.cluster.kill();
      // Answers that are under way are still taken as such.
      await pause(1_500);
      const to = monotonic();
      await world.cluster.start();
      await world.query("alter system reset all");
      await world.query("select pg_reload_conf()");
      return { lost: { from: from - 1_000, to } };
    },
  },
  {
    name: "failover",
    injects: "the primary is gone, and a standby that has everything is promoted",
    world: pairWorld,
    inject: (scene) => failOver(scene, { losingMs: 0 }),
  },
  {
    name: "failover that loses a tail",
    injects: "the primary is gone, and a standby that lacks the last 1.5 s is promoted",
    promises:
      "acknowledgements of these 1.5 s may be lost; every remaining run is consistent and ends; no run id is issued twice",
    world: pairWorld,
    load: { overMs: 6_000 },
    inject: (scene) => failOver(scene, { losingMs: 1_500 }),
  },
  {
    name: "failover that loses ids",
    injects:
      "the same, while every 90 starts come over a new connection, as from functions that live for a moment",
    promises:
      "no id of a run or message that was given out in these 1.5 s names another one afterwards",
    world: { ...pairWorld, workers: { direct: 2 } },
    load: {
      ...NOTHING,
      runs: { chain: 900 },
      steps: 1,
      messages: 40,
      overMs: 6_000,
      startsPerConnection: 90,
    },
    inject: (scene) => failOver(scene, { losingMs: 1_500 }),
  },
  {
    name: "read-only database",
    injects: "all transactions are read-only for 4 s, as after a failover to a replica",
    inject: async ({ world }) => {
      await world.query(`alter database audited set default_transaction_read_only = on`);
      await world.endSessions();
      await pause(4_000);
      await world.query(`alter database audited reset default_transaction_read_only`);
      await world.endSessions();
    },
  },
  {
    name: "disk full",
    injects: `${bigWorld.full} is full for 4 s`,
    unless: cannotMount,
    world: {
      cluster: async () => {
        dataDisk = mountDisk(160);
        const cluster = await startPostgres({ durable: false, settings: USUAL_SETTINGS });
        const space = join(dataDisk, "space");
        mkdirSync(space);
        giveToServer(space);
        const { Client } = (await import("pg")).default;
        const session = new Client({ connectionString: cluster.url });
        await session.connect();
        await session.query(`create tablespace small location '${space}'`);
        await session.query("alter system set default_tablespace = small");
        await session.query("select pg_reload_conf()");
        await session.end();
        return cluster;
      },
    },
    load: { filler: 4_000 },
    inject: async () => {
      const ballast = fill(dataDisk, 0);
      await pause(4_000);
      rmSync(ballast);
    },
  },
  {
    name: "disk of the log full",
    injects: `${bigWorld.wal} is full until the server ends, or for 5 s`,
    unless: cannotMount,
    world: {
      cluster: async () => {
        const dataDir = mkdtempSync(join(tmpdir(), "oxbow-wal-"));
        giveToServer(dataDir);
        const settings = { ...USUAL_SETTINGS, max_wal_size: "64MB", min_wal_size: "32MB" };
        // Made, and stopped, to be moved.
        await (await startPostgres({ dataDir, durable: false, settings })).stop();
        walDisk = mountDisk(192);
        const log = join(walDisk, "pg_wal");
        cpSync(join(dataDir, "pg_wal"), log, { recursive: true });
        execFileSync("chown", ["-R", `--reference=${dataDir}`, log]);
        giveToServer(log);
        rmSync(join(dataDir, "pg_wal"), { recursive: true });
        symlinkSync(log, join(dataDir, "pg_wal"));
        process.on("exit", () => rmSync(dataDir, { recursive: true, force: true }));
        return startPostgres({ dataDir, durable: false, settings });
      },
    },
    load: { filler: 4_000 },
    inject: async ({ world }) => {
      const ballast = fill(walDisk, 4_000_000);
      // Until a new segment is needed.
      const writing = world
        .query(
          "create table ballast as select repeat(md5(n::text), 60) from generate_series(1, 40000) as n",
        )
        .catch(() => []);
      await Promise.race([writing, pause(5_000)]);
      await pause(3_000);
      rmSync(ballast);
      await pause(500);
      await world.cluster.start();
      await world.query("drop table if exists ballast");
    },
  },
];
