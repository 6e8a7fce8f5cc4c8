import { Emitter } from "@oxbow/sdk/internal/server";
import { expect, it } from "vitest";
import type { ServerEvents } from "../events.ts";
import { Sweeper } from "./sweeper.ts";

it("registers the ceiling of retention at its start, and before each sweep of runs, of the audit and of the log of deliveries", async () => {
  const calls: string[] = [];
  let isReachable = true;
  const sweeper = new Sweeper({
    transport: {
      sweep: () => {
        calls.push("sweep");
        return Promise.resolve(0);
      },
    },
    retention: {
      limitRetention: (days) => {
        if (!isReachable) return Promise.reject(new Error("unreachable"));
        calls.push(`limit ${days}`);
        return Promise.resolve(calls.length === 1);
      },
    },
    audit: {
      sweep: (days) => {
        calls.push(`sweep audit ${days}`);
        return Promise.resolve(0);
      },
    },
    triggers: undefined,
    deliveryLog: {
      sweep: (hours, max, after = "the beginning") => {
        calls.push(`sweep ${max} deliveries, ${hours} hours, after ${after}`);
        return Promise.resolve(after === "7" ? undefined : "7");
      },
    },
    events: new Emitter<ServerEvents>(),
    intervalMs: 1_000,
    maxRetentionDays: 7,
    auditRetentionDays: 90,
    deliveryLogHours: 24,
  });
  const { signal } = new AbortController();
  expect(await sweeper.tick(signal)).toBe(1_000);
  expect(await sweeper.tick(signal)).toBe(1_000);
  expect(calls).toEqual([
    "limit 7",
    "limit 7",
    "sweep",
    "sweep audit 90",
    "sweep 10000 deliveries, 24 hours, after the beginning",
    "sweep 10000 deliveries, 24 hours, after 7",
  ]);
  isReachable = false;
  await expect(sweeper.tick(signal)).rejects.toThrow("unreachable");
  expect(calls).toHaveLength(6);
});

it("reports that another server has set another ceiling, except at its own start", async () => {
  const troubles: unknown[] = [];
  const events = new Emitter<ServerEvents>();
  events.on("trouble", ({ error }) => void troubles.push((error as Error).message));
  let days: number | undefined = 365;
  const sweeper = new Sweeper({
    transport: { sweep: () => Promise.resolve(0) },
    retention: {
      limitRetention: (own) => {
        const wasAnother = days !== own;
        days = own;
        return Promise.resolve(wasAnother);
      },
    },
    audit: undefined,
    triggers: undefined,
    deliveryLog: undefined,
    events,
    intervalMs: 1_000,
    maxRetentionDays: 7,
    auditRetentionDays: 90,
    deliveryLogHours: 24,
  });
  const { signal } = new AbortController();
  await sweeper.tick(signal);
  await sweeper.tick(signal);
  expect(troubles).toEqual([]);
  days = 30;
  await sweeper.tick(signal);
  expect(troubles).toEqual([
    expect.stringMatching(/no longer the 7 days .*WORKFLOWS_MAX_RETENTION_DAYS/),
  ]);
  await sweeper.tick(signal);
  expect(troubles).toHaveLength(1);
});

it("sweeps events of triggers in batches, until all are gone", async () => {
  const batches: number[] = [];
  let expired = 2_500;
  const sweeper = new Sweeper({
    transport: { sweep: () => Promise.resolve(0) },
    retention: undefined,
    audit: undefined,
    deliveryLog: undefined,
    triggers: {
      sweep: (maxEvents) => {
        const swept = Math.min(expired, maxEvents);
        expired -= swept;
        batches.push(swept);
        return Promise.resolve(swept);
      },
    },
    events: new Emitter<ServerEvents>(),
    intervalMs: 1_000,
    maxRetentionDays: 7,
    auditRetentionDays: 90,
    deliveryLogHours: 24,
  });
  const { signal } = new AbortController();
  await sweeper.tick(signal);
  expect(batches).toEqual([]);
  await sweeper.tick(signal);
  expect(batches).toEqual([1_000, 1_000, 500, 0]);
});
