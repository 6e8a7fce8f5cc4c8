import type { Transport } from "@oxbow/sdk/internal/server";
import { expect, it } from "vitest";
import { Readiness } from "./readiness.ts";

const lookAt = (hasStandby: boolean, lag: () => Promise<never[]>): Promise<unknown> => {
  const statistics = {
    hasStandby,
    version: () => Promise.resolve("0.3.0"),
    readAge: () => Promise.resolve(0),
    lag,
  };
  return new Readiness({ statistics } as unknown as Transport).look();
};
const fails = (): Promise<never[]> => Promise.reject(new Error("permission denied"));
const takes = (ms: number) => (): Promise<never[]> =>
  new Promise((resolve) => {
    setTimeout(resolve, ms, []);
  });

it("without a standby, a database that does not say what waits is not ready", async () => {
  expect(await lookAt(false, fails)).toEqual({ status: "not ready", reason: "permission denied" });
});

it("without a standby, a slow database is ready, with the run that has waited longest", async () => {
  expect(await lookAt(false, takes(1_200))).toEqual({
    status: "ready",
    schema: "0.3.0",
    oldestReadyRun: null,
    readAgeSeconds: 0,
  });
});

it.each([
  ["fails", fails],
  ["is slow", takes(1_800)],
])("a standby that %s takes no working database out of service", async (_how, lag) => {
  expect(await lookAt(true, lag)).toEqual({
    status: "ready",
    schema: "0.3.0",
    readAgeSeconds: null,
  });
});
