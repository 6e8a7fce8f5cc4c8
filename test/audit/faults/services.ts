/** Faults of what stands in between: the server, PgBouncer, clients, an upgrade. */
import { setTimeout as pause } from "node:timers/promises";
import { migrate } from "@oxbow/sdk/internal/server";
import type { Fault } from "../fault.ts";
import { isPgBouncerInstalled } from "../../helpers/pgbouncer.ts";

export const SERVICE_FAULTS: readonly Fault[] = [
  {
    name: "server killed",
    injects: "SIGKILL to the HTTP server, and its start, twice",
    inject: async ({ world }) => {
      for (let time = 0; time < 2; time += 1) {
        await world.server?.kill();
        await pause(1_500);
      }
      await world.server?.ready();
    },
  },
  {
    name: "server deployed",
    injects: "SIGTERM to the HTTP server, and a successor",
    promises: "it ends by itself, with code 0, in 10 s",
    inject: async ({ world, blame }) => {
      const end = await world.server?.deploy();
      if (end?.code !== 0) blame(`the server ended with code ${end?.code}`);
      if ((end?.tookMs ?? 0) > 10_000)
        blame(`the server took ${Math.round(end?.tookMs ?? 0)} ms to end`);
      await world.server?.ready();
    },
  },
  {
    name: "server frozen",
    injects: "SIGSTOP to the HTTP server for 6 s, twice the lease",
    inject: async ({ world }) => {
      const server = world.server?.process;
      server?.freeze();
      await pause(6_000);
      server?.thaw();
    },
  },
  {
    name: "pgbouncer restarted",
    injects: "SIGKILL to PgBouncer, and its start, twice",
    unless: () => (isPgBouncerInstalled ? undefined : "needs PgBouncer: apt-get install pgbouncer"),
    inject: async ({ world }) => {
      for (let time = 0; time < 2; time += 1) {
        await world.bouncer?.kill();
        await pause(700);
        await world.bouncer?.start();
        await pause(1_000);
      }
    },
  },
  {
    name: "client killed",
    injects: "SIGKILL to the client, three times; its successor makes the same calls again",
    inject: async ({ client }) => {
      for (let time = 0; time < 3; time += 1) {
        await client.kill();
        await pause(1_000);
      }
    },
  },
  {
    name: "everything killed",
    injects:
      "SIGKILL to the database, the server, PgBouncer, all workers and the client, and their starts",
    inject: async ({ world, client }) => {
      await Promise.all([
        world.cluster.kill(),
        world.server?.kill(),
        world.bouncer?.kill(),
        client.kill(),
        ...world.workers.map((worker) => worker.kill()),
      ]);
      await pause(1_000);
      await world.cluster.start();
      await world.bouncer?.start();
    },
  },
  {
    name: "upgrade under load",
    injects: "all functions are replaced as by a migration, five times in a row",
    promises: "the migration succeeds, and no call fails for good",
    load: { overMs: 8_000 },
    inject: async ({ world, blame }) => {
      for (let time = 0; time < 5; time += 1) {
        // Makes the installation look older than this release.
        await world.query(
          `create or replace function queue.version() returns text language sql immutable as $$ select '0.1.9' $$`,
        );
        await migrate(world.url).catch((error: unknown) => blame(`migrate: ${String(error)}`));
        await pause(500);
      }
    },
  },
];
