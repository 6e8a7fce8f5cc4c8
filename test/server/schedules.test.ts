import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { startTestServer } from "../helpers/server.ts";

const server = await startTestServer(await createDatabase());

const ticks = (query: Record<string, string>) =>
  server.get(`/v1/ticks?${new URLSearchParams(query).toString()}`);

it("the next ticks of a cron expression are those of its time zone", async () => {
  const { body } = await ticks({ cron: "30 9 * * *", timeZone: "Asia/Kolkata", count: "3" });
  expect(body.ticks).toHaveLength(3);
  for (const tick of body.ticks as string[]) expect(tick).toMatch(/T04:00:00\.000Z$/);
});

it("the next ticks of an interval are its multiples", async () => {
  const { body } = await ticks({ everySeconds: "3600" });
  expect(body.ticks).toHaveLength(5);
  for (const tick of body.ticks as string[]) expect(tick).toMatch(/:00:00\.000Z$/);
});

it.each([
  [{}, /either cron or everySeconds/],
  [{ cron: "0 0 * * *", everySeconds: "60" }, /either cron or everySeconds/],
  [{ cron: "every night" }, /cron/],
  [{ cron: "0 0 * * *", timeZone: "Nowhere" }, /Nowhere/],
])("a request for ticks of %j is refused", async (query, why) => {
  const { status, body } = await ticks(query);
  expect([status, body.detail]).toEqual([400, expect.stringMatching(why)]);
});
