import { expect, it } from "vitest";
import { toDeliveries } from "./rows.ts";

const NOTHING = {
  ids: "{}",
  receipts: null,
  receiveCounts: null,
  enqueuedAts: null,
  visibleAts: null,
  groupIds: null,
  bodies: null,
  headers: null,
  suspect: null,
};

it("makes a delivery of each place in the arrays, whatever time zone the session has", () => {
  const deliveries = toDeliveries({
    ids: "{7,9223372036854775807}",
    receipts: "{7340033,12}",
    receiveCounts: "{1,3}",
    enqueuedAts: ["2026-11-21T13:41:00.123456+05:30", "2026-11-21T13:41:00.123456+05:30"],
    visibleAts: ["2026-11-21T13:42:00+00:00", "2026-11-21T13:43:00+00:00"],
    groupIds: [null, "red, {blue}"],
    bodies: [{ n: 1 }, null],
    headers: [null, { trace: 7 }],
    suspect: "12",
  });
  expect(deliveries).toEqual([
    {
      id: "7",
      receipt: "7340033",
      body: { n: 1 },
      headers: null,
      receiveCount: 1,
      groupId: null,
      enqueuedAt: new Date("2026-11-21T08:11:00.123Z"),
      visibleAt: new Date("2026-11-21T13:42:00Z"),
      isSuspect: false,
    },
    {
      id: "9223372036854775807",
      receipt: "12",
      body: null,
      headers: { trace: 7 },
      receiveCount: 3,
      groupId: "red, {blue}",
      enqueuedAt: new Date("2026-11-21T08:11:00.123Z"),
      visibleAt: new Date("2026-11-21T13:43:00Z"),
      isSuspect: true,
    },
  ]);
  expect(deliveries[0]?.enqueuedAt).not.toBe(deliveries[1]?.enqueuedAt);
});

it("makes no message of an empty row", () => {
  expect(toDeliveries(NOTHING)).toEqual([]);
});
