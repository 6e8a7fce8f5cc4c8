/** Runs that stream all the time, over a database whose commits are slow: they keep their leases. */
import { setTimeout as pause } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { setupWorkflows } from "../helpers/workflows.ts";

const LEASE_MS = 2_000;

it("a run that commits chunks without a pause keeps its lease, although each commit locks it", async () => {
  const bench = await setupWorkflows();
  await bench.database.query(`
    create function public.be_slow() returns trigger language plpgsql as
      $$begin perform pg_sleep(0.08); return null; end$$;
    create trigger slow after insert on queue.workflow_stream_chunk
      for each statement execute function public.be_slow();
  `);
  let calls = 0;
  const talkative = workflow({
    name: "talkative",
    run: (ctx) =>
      ctx.step.run("talk", async () => {
        calls += 1;
        const endsAt = performance.now() + 3 * LEASE_MS;
        for (let n = 0; performance.now() < endsAt; n += 1) {
          ctx.stream.write(n);
          await pause(5);
        }
        return calls;
      }),
  });
  bench.serve([talkative], { lease: LEASE_MS });
  const run = await bench.client.start(talkative);
  expect(await run.result()).toBe(1);
  expect(calls).toBe(1);
  expect(await bench.violations()).toEqual([]);
});
