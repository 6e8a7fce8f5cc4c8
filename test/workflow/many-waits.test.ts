import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const { client, database, serve } = bench;

const HOUR_MS = 3_600_000;

it("waits that are due together end with one commit, in the order of their deadlines", async () => {
  const steps = Array.from({ length: 300 }, (_, index) => `wait ${index}`);
  const due = workflow({
    name: "due",
    run: (ctx) =>
      Promise.all(
        steps.map((step, index) =>
          ctx.step.waitForEvent(step, { timeout: HOUR_MS - index * 1_000 }),
        ),
      ),
  });
  serve([due]);
  const run = await client.start(due, undefined);
  await eventually(
    () => client.runs.get("due", run.runId),
    (found) => found?.activity === "waiting",
  );
  await client.runs.pause(run.runId);
  await database.query(
    `update queue.workflow_continuation as m
     set message = jsonb_set(m.message, '{waits}', (
       select jsonb_agg(w.wait || jsonb_build_object('until', (w.wait ->> 'until')::timestamptz - interval '2 hours'))
       from jsonb_array_elements(m.message -> 'waits') as w (wait)
     ))
     where m.msg_id = $1`,
    [run.runId],
  );
  await client.runs.resume(run.runId);
  await client.signal(run.runId, "wait 7", "in time");
  const result = await run.result({ timeout: "60s" });
  expect(result).toEqual(steps.map((_, index) => (index === 7 ? "in time" : null)));
  const journal = await database.query<{ step: string; at: string }>(
    `select s.step_name as step, s.completed_at::text as at
     from queue.workflow_step as s
     where s.run_id = $1 and s.attempts = 0
     order by s.position`,
    [run.runId],
  );
  expect(new Set(journal.map(({ at }) => at)).size).toBe(1);
  expect(journal.map(({ step }) => step)).toEqual(
    steps.filter((step) => step !== "wait 7").toReversed(),
  );
  expect(await bench.violations()).toEqual([]);
});

it("signals go to the waits that they fit, one each, however many waits have the same event", async () => {
  const numbers = Array.from({ length: 40 }, (_, index) => index);
  const votes = workflow({
    name: "votes",
    run: async (ctx) =>
      Promise.all([
        ...numbers.map((n) => ctx.step.waitForEvent(`any ${n}`, { event: "vote" })),
        ...numbers.map((n) => ctx.step.waitForEvent(`of ${n}`, { event: "paid", match: { n } })),
      ]),
  });
  const run = await client.start(votes, undefined);
  // Most are buffered before the run waits.
  await Promise.all(
    numbers.flatMap((n) => [
      client.signal(run.runId, "vote", { n }),
      client.signal(run.runId, "paid", { n, paid: true }),
    ]),
  );
  serve([votes]);
  const result = (await run.result({ timeout: "60s" })) as { n: number; paid?: boolean }[];
  expect(
    result
      .slice(0, 40)
      .map(({ n }) => n)
      .toSorted((a, b) => a - b),
  ).toEqual(numbers);
  expect(result.slice(40)).toEqual(numbers.map((n) => ({ n, paid: true })));
  expect(await database.query("select from queue.workflow_buffered_signal")).toEqual([]);
});
