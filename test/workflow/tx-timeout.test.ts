import { setTimeout as delay } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";

it("an attempt of step.tx that has timed out can write no more, not even in the transaction of the next one", async () => {
  const bench = await setupWorkflows();
  await bench.database.query("create table written (attempt integer)");
  let attempts = 0;
  let nextHasBegun = (): void => {};
  const next = new Promise<void>((resolve) => {
    nextHasBegun = resolve;
  });
  let lateWrite: Promise<unknown> = Promise.resolve();
  const late = workflow({
    name: "writes-late",
    retry: { attempts: 3, backoff: { kind: "fixed", base: 1 } },
    run: (ctx) =>
      ctx.step.tx(
        "write",
        async (tx) => {
          const attempt = ++attempts;
          const write = () => tx.query("insert into written values ($1)", [attempt]);
          if (attempt === 1) {
            lateWrite = next.then(write).catch((error: unknown) => error);
            await delay(10_000, undefined, { ref: false });
          } else {
            await write();
            nextHasBegun();
            await lateWrite;
          }
          return attempt;
        },
        { timeout: "500ms" },
      ),
  });
  bench.serve([late]);
  const run = await bench.client.start(late, undefined);
  expect(await run.result({ timeout: "15s" })).toBe(2);
  expect(await lateWrite).toMatchObject({ code: "TRANSACTION_OVER" });
  expect(await bench.database.query("select attempt from written")).toEqual([{ attempt: 2 }]);
});
