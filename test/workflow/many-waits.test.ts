import { workflow } from "@oxbow/sdk/runtime";
import { expect, it } from "vitest";
import { eventually } from "../helpers/eventually.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const bench = await setupWorkflows();
const { client, database, serve } = bench;

it("waits that are due together end with one commit, in the order of their deadlines", async () => {
  const steps = Array.from({ length: 300 }, (_, index) => `wait ${index}`);
  const due = workflow({
    name: "due",
    run: (ctx) =>
      Promise.all(
        steps.map((step, index) => ctx.step.waitForEvent(step, { timeout: 6_000 - index * 10 })),
      ),
  });
  serve([due]);
  const run = await client.start(due, undefined);
  await eventually(() => client.runs.get("due", run.runId), { activity: "waiting" });
  await client.runs.pause(run.runId);
  await client.signal(run.runId, "wait 7", "in time");
  const open = await database.query<{ step: string; until: string }>(
    `select w.wait ->> 'step' as step, w.wait ->> 'until' as until
     from queue.workflow_continuation as m, jsonb_array_elements(m.message -> 'waits') with ordinality as w (wait, n)
     where m.msg_id = $1
     order by until, w.n`,
    [run.runId],
  );
  expect(open.length).toBeGreaterThan(100);
  await eventually(
    () =>
      database.query<{ are_due: boolean }>(
        "select now() - interval '1 second' > $1::timestamptz as are_due",
        [open.at(-1)?.until],
      ),
    ([row]) => row?.are_due === true,
  );
  await client.runs.resume(run.runId);
  const result = await run.result({ timeout: "60s" });
  expect(result).toEqual(steps.map((_, index) => (index === 7 ? "in time" : null)));
  const ended = await database.query<{ step: string; at: string }>(
    `select s.step_name as step, s.completed_at::text as at
     from queue.workflow_step as s
     where s.run_id = $1 and s.step_name = any ($2)
     order by s.position`,
    [run.runId, open.map(({ step }) => step)],
  );
  expect(new Set(ended.map(({ at }) => at)).size).toBe(1);
  expect(ended.map(({ step }) => step)).toEqual(open.map(({ step }) => step));
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
