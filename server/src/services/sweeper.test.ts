import { Emitter } from "@oxbow/sdk/internal";
import { expect, it } from "vitest";
import type { ServerEvents } from "../events.ts";
import { Sweeper } from "./sweeper.ts";

it("registers the ceiling of retention at its start, and before each sweep of runs and of the audit", async () => {
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
        return Promise.resolve(true);
      },
    },
    audit: {
      sweep: (days) => {
        calls.push(`sweep audit ${days}`);
        return Promise.resolve(0);
      },
    },
    events: new Emitter<ServerEvents>(),
    intervalMs: 1_000,
    maxRetentionDays: 7,
    auditRetentionDays: 90,
  });
  const { signal } = new AbortController();
  expect(await sweeper.tick(signal)).toBe(1_000);
  expect(await sweeper.tick(signal)).toBe(1_000);
  expect(calls).toEqual(["limit 7", "limit 7", "sweep", "sweep audit 90"]);
  isReachable = false;
  await expect(sweeper.tick(signal)).rejects.toThrow("unreachable");
  expect(calls).toHaveLength(4);
});
