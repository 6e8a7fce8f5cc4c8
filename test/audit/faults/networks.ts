/** Faults of the network between the system and its database, and of notifications. */
import { setTimeout as pause } from "node:timers/promises";
import { startPostgres } from "@oxbow/sdk/testing";
import type { Fault } from "../fault.ts";
import { NOTHING } from "../workload/plan.ts";
import type { Weather } from "../../helpers/faulty-network.ts";
import { USUAL_SETTINGS, type World } from "../world/world.ts";

async function under(world: World, weather: Weather, forMs: number): Promise<void> {
  for (const network of world.networks) network.change(weather);
  await pause(forMs);
  for (const network of world.networks) network.clear();
}

/** Most of the workers are behind the server. */
const RELAYED = { workers: { http: 3, direct: 1 } } as const;

export const NETWORK_FAULTS: readonly Fault[] = [
  {
    name: "connections cut",
    injects: "RST on all connections to the database, five times in 2 s",
    inject: async ({ world }) => {
      for (let time = 0; time < 5; time += 1) {
        for (const network of world.networks) network.cut();
        await pause(400);
      }
    },
  },
  {
    name: "connections silent",
    injects: "all connections that are there carry nothing any more, without RST; new ones work",
    inject: async ({ world }) => {
      for (const network of world.networks) network.fallSilent();
      await pause(1_000);
    },
  },
  {
    name: "connections silent again and again",
    injects: "the same four times, 2 s apart",
    load: { overMs: 8_000 },
    world: {
      // Sessions of silent connections stay: here TCP, which would end them, finds the proxy alive.
      cluster: () =>
        startPostgres({
          durable: true,
          settings: { ...USUAL_SETTINGS, max_connections: "300" },
        }),
    },
    inject: async ({ world }) => {
      for (let time = 0; time < 4; time += 1) {
        for (const network of world.networks) network.fallSilent();
        await pause(2_000);
      }
    },
  },
  {
    name: "partition",
    injects: "for 10 s nothing comes through, by no connection, without RST",
    load: { overMs: 6_000 },
    inject: ({ world }) => under(world, { isParted: true }, 10_000),
  },
  {
    name: "half-open connections",
    injects: "for 6 s requests arrive and answers don't; then all is cut",
    inject: async ({ world }) => {
      await under(world, { isHalfOpen: true }, 6_000);
      for (const network of world.networks) network.cut();
    },
  },
  {
    name: "answers lost",
    injects: "the answers to 10 commits are lost, and their connections with them",
    inject: async ({ world }) => {
      for (const network of world.networks) network.loseAnswers(5, "workflow_commit");
      await pause(3_000);
      for (const network of world.networks) network.clear();
    },
  },
  {
    name: "slow network",
    injects: "400 ms more in each direction for 8 s",
    load: { overMs: 6_000 },
    inject: ({ world }) => under(world, { delayMs: 400 }, 8_000),
  },
  {
    name: "uneven network",
    injects: "0 to 300 ms more in each direction for 8 s",
    load: { overMs: 6_000 },
    inject: ({ world }) => under(world, { jitterMs: 300 }, 8_000),
  },
  {
    name: "narrow network",
    injects: "64 kB/s for each connection and direction, for 8 s",
    load: { filler: 2_000, overMs: 6_000 },
    inject: ({ world }) => under(world, { bytesPerSecond: 64_000 }, 8_000),
  },
  {
    name: "one worker cut off",
    injects:
      "one worker of three reaches the database no more for 12 s, four leases, while steps take 8 s",
    promises: "the signals of its callbacks abort before another worker can hold the lease",
    load: { ...NOTHING, runs: { long: 12 }, stepMs: 8_000, overMs: 1_000 },
    inject: async ({ world }) => {
      await pause(1_000);
      world.apart.change({ isParted: true });
      await pause(12_000);
      world.apart.clear();
    },
  },
  {
    name: "relays cut",
    injects: "RST on all connections to the server, those of workers among them, five times in 2 s",
    world: RELAYED,
    inject: async ({ world }) => {
      for (let time = 0; time < 5; time += 1) {
        world.relay?.cut();
        await pause(400);
      }
    },
  },
  {
    name: "relays silent",
    injects: "all connections to the server carry nothing any more, twice; new ones work",
    load: { overMs: 6_000 },
    world: RELAYED,
    inject: async ({ world }) => {
      for (let time = 0; time < 2; time += 1) {
        world.relay?.fallSilent();
        await pause(3_000);
      }
    },
  },
  {
    name: "relays parted",
    injects: "for 10 s nothing reaches the server, by no connection, without RST",
    load: { overMs: 6_000 },
    world: RELAYED,
    inject: async ({ world }) => {
      world.relay?.change({ isParted: true });
      await pause(10_000);
      world.relay?.clear();
    },
  },
  {
    name: "relayed answers lost",
    injects: "for 4 s requests reach the server and answers don't; then all is cut",
    world: RELAYED,
    inject: async ({ world }) => {
      world.relay?.change({ isHalfOpen: true });
      await pause(4_000);
      world.relay?.clear();
      world.relay?.cut();
    },
  },
  {
    name: "notifications lost",
    injects: "no notification is ever delivered for 6 s",
    inject: async ({ world }) => {
      const [row] = await world.query(
        `select string_agg(pg_get_functiondef(p.oid), ';' order by p.proname) as text
         from pg_proc as p where p.pronamespace = 'queue'::regnamespace and p.proname in ('_is_awaited', '_notify_worker')`,
      );
      await world.query(
        `create or replace function queue._is_awaited(channel text) returns boolean
           language sql as 'select false';
         create or replace function queue._notify_worker(name text, run_id bigint) returns void
           language sql as 'select null::void'`,
      );
      await pause(6_000);
      await world.query(String(row?.["text"]));
    },
  },
  {
    name: "listeners terminated",
    injects: "the sessions that listen are terminated four times a second for 4 s",
    inject: async ({ world }) => {
      for (let time = 0; time < 16; time += 1) {
        await world.query(
          `select pg_terminate_backend(pid) from pg_stat_activity
           where datname = current_database() and application_name = 'oxbow listen'`,
        );
        await pause(250);
      }
    },
  },
];
