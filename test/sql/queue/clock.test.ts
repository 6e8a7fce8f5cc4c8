/** What is noticed when the database's clock was ahead and is set back, and what is corrected by it. */
import { expect, it } from "vitest";
import { createDatabase } from "../../helpers/database.ts";
import { MovedClock } from "../../helpers/moved-clock.ts";
import { acknowledge, messages, newQueue, only, receive, send } from "../../helpers/queues.ts";
import { openSession } from "../../helpers/session.ts";

const HOUR_MS = 3_600_000;

async function setup() {
  const database = await createDatabase();
  const clock = await MovedClock.install(database);
  return { database, clock, queue: await newQueue(database) };
}

it("a message that was sent while nothing was received is received once the clock is right again", async () => {
  const { database, clock, queue } = await setup();
  await clock.setAhead(HOUR_MS);
  await send(database, queue, "by the wrong clock");
  await clock.setAhead(0);
  expect(messages(await receive(database, queue))).toEqual([]);
  expect(messages(await receive(database, queue))).toEqual(["by the wrong clock"]);
});

it("a message of a transaction that was rolled back shows the time as well", async () => {
  const { database, clock, queue } = await setup();
  const session = await openSession(database);
  await clock.setAhead(HOUR_MS);
  await session.query("begin");
  await send(session, queue, "never sent");
  await session.query("rollback");
  await clock.setAhead(0);
  await receive(database, queue);
  expect(await database.query("select from queue.clock_correction")).toHaveLength(4);
});

it("a correction that is rolled back is made by the next receive", async () => {
  const { database, clock, queue } = await setup();
  const session = await openSession(database);
  await clock.setAhead(HOUR_MS);
  await send(database, queue, "by the wrong clock");
  await clock.setAhead(0);
  await session.query("begin");
  await receive(session, queue);
  await session.query("rollback");
  expect(await database.query("select from queue.clock_correction")).toEqual([]);
  await receive(database, queue);
  expect(messages(await receive(database, queue))).toEqual(["by the wrong clock"]);
});

it("a correction is made once, and brings forward nothing that is delayed after it", async () => {
  const { database, clock, queue } = await setup();
  await clock.setAhead(HOUR_MS);
  await send(database, queue, "by the wrong clock");
  await clock.setAhead(0);
  await receive(database, queue);
  await acknowledge(database, queue, only(await receive(database, queue)));
  await database.query("select queue.send($1, '1', delay_seconds => 1800)", [queue]);
  for (let round = 0; round < 3; round += 1) await receive(database, queue);
  const [message] = await database.query<{ is_delayed: boolean }>(
    `select visible_at > clock_timestamp() + interval '29 minutes' as is_delayed from queue."q_${queue}"`,
  );
  expect(message).toEqual({ is_delayed: true });
});

it("a clock that is ahead for another moment is noticed again", async () => {
  const { database, clock, queue } = await setup();
  for (const ahead of [HOUR_MS, HOUR_MS / 2]) {
    await clock.setAhead(ahead);
    await send(database, queue, ahead);
    await clock.setAhead(0);
    await receive(database, queue);
    expect(messages(await receive(database, queue))).toEqual([ahead]);
  }
});

it("is no reason to write while nothing is received", async () => {
  const { database, queue } = await setup();
  const shown = async (): Promise<unknown> =>
    only(await database.query("select last_value from queue.clock_shown"));
  const before = await shown();
  await receive(database, queue);
  expect(await shown()).toEqual(before);
});
