/** Faults that workers and consumers find when they start. */
import { setTimeout as pause } from "node:timers/promises";
import type { Fault, Scene } from "../fault.ts";
import type { World } from "../world/world.ts";

/** Kills all workers, whose successors start into what is prepared. They must not end by themselves. */
async function startInto(
  { world, blame }: Scene,
  forMs: number,
  { begin, heal }: { begin: () => unknown; heal: () => unknown },
): Promise<void> {
  const deaths = (): number => world.workers.reduce((sum, worker) => sum + worker.deaths, 0);
  const before = deaths();
  await begin();
  try {
    await Promise.all(world.workers.map((worker) => worker.kill()));
    await pause(forMs);
  } finally {
    await heal();
  }
  await Promise.all(world.workers.map((worker) => worker.ready()));
  const own = deaths() - before - world.workers.length;
  if (own > 0) blame(`${own} workers ended by themselves as they started`);
}

/** Nobody reads or writes a table of queues, of runs, or of workers. */
async function lockTables(world: World): Promise<() => Promise<void>> {
  const session = await world.connect();
  await session.query("begin");
  await session.query("set local statement_timeout = 0");
  // As a migration does it: among transactions that lock tables in other orders, one statement would deadlock.
  await session.query("select queue._lock_tables()");
  return async () => {
    await session.query("rollback");
    await session.end();
  };
}

export const START_FAULTS: readonly Fault[] = [
  {
    name: "workers started into locked tables",
    injects:
      "all workers start while a migration locks every table for 4 s, with statement_timeout = 1s",
    promises: "they don't end",
    load: { overMs: 6_000 },
    inject: async (scene) => {
      const { world } = scene;
      let unlock: (() => Promise<void>) | undefined;
      await startInto(scene, 4_000, {
        begin: async () => {
          await world.query("alter database audited set statement_timeout = '1s'");
          await world.endSessions();
          unlock = await lockTables(world);
        },
        heal: async () => {
          await unlock?.();
          await world.query("alter database audited reset statement_timeout");
          await world.endSessions();
        },
      });
    },
  },
  {
    name: "workers started without a database",
    injects: "all workers start while the server of the database is away for 5 s",
    promises: "they don't end",
    load: { overMs: 6_000 },
    inject: (scene) =>
      startInto(scene, 5_000, {
        begin: () => scene.world.cluster.kill(),
        heal: () => scene.world.cluster.start(),
      }),
  },
  {
    name: "workers started into a partition",
    injects: "all workers start while nothing comes through for 6 s, by no connection, without RST",
    promises: "they don't end",
    load: { overMs: 6_000 },
    inject: (scene) =>
      startInto(scene, 6_000, {
        begin: () => {
          for (const network of scene.world.networks) network.change({ isParted: true });
        },
        heal: () => {
          for (const network of scene.world.networks) network.clear();
        },
      }),
  },
];
