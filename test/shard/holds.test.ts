/** The hold of all shards that a checkpoint takes: in one order, and with a time that is later than all arrivals. */
import { setTimeout as delay } from "node:timers/promises";
import type { Transport } from "@oxbow/sdk/internal/server";
import { connect, passFullSecond, whileRelaysAreHeld } from "@oxbow/fleet/internal";
import { afterAll, expect, it } from "vitest";
import { createFleet } from "../helpers/fleet.ts";

const created = await createFleet(3);
const databases = Object.values(created.databases);
const places = Object.entries(created.shards);
const transports = [places, places.toReversed()].map((given) =>
  connect({ shards: Object.fromEntries(given), maxConnections: 2 }),
);

afterAll(async () => {
  await Promise.all(transports.map((transport) => transport.close()));
});

const hold = async <Result>(
  { fleet }: Transport,
  work: Parameters<typeof whileRelaysAreHeld<Result>>[1],
): Promise<Result> => {
  if (fleet === undefined) throw new Error("It is a fleet.");
  return whileRelaysAreHeld(fleet, work);
};

const readClocks = async (): Promise<number[]> =>
  Promise.all(
    databases.map(async (database) => {
      const [row] = await database.query<{ now: Date }>("select clock_timestamp() as now");
      return row?.now.getTime() ?? Number.NaN;
    }),
  );

it("a checkpoint by time is later than the hold of the last shard, however long that took", async () => {
  const [transport] = transports as [Transport];
  const held = await hold(transport, async (shards) => {
    await delay(1_500);
    const before = await readClocks();
    const time = (await passFullSecond(shards)).getTime();
    return { before, time, after: await readClocks() };
  });
  expect(held.before).toHaveLength(3);
  expect(held.time % 1_000).toBe(0);
  expect(Math.max(...held.before)).toBeLessThan(held.time);
  expect(Math.min(...held.after)).toBeGreaterThan(held.time);
});

it("checkpoints at once that name the shards in other orders wait for each other", async () => {
  let holding = 0;
  const works = transports.flatMap((transport) =>
    Array.from({ length: 2 }, () =>
      hold(transport, async (shards) => {
        holding += 1;
        await delay(30);
        expect(holding).toBe(1);
        holding -= 1;
        return shards.map(({ name }) => name);
      }),
    ),
  );
  expect(await Promise.all(works)).toEqual(works.map(() => ["a", "b", "c"]));
});
