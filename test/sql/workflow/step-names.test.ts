/** Names of steps and keys of values: every way in which a worker writes them. */
import { describe, expect, it } from "vitest";
import { type Delivery, setupRuns } from "../../helpers/runs.ts";

const LONGEST = "é".repeat(512);
const NAME = "$3::text";
const STEP = `step_items => '{1}', step_positions => '{1}', step_kinds => '{run}', step_outputs => '{1}',
  step_attempts => '{1}', step_durations => '{1}'`;
const STREAM =
  "stream_items => '{1}', stream_attempts => '{1}', stream_numbers => '{1}', stream_chunks => '{1}'";
const EFFECT =
  "effect_items => '{1}', effect_kinds => '{invoke}', effect_targets => '{child}', effect_values => '{1}'";

/** The arguments of a commit that has the name. */
const WAYS = {
  "of a step": `'{keep}', '{null}', null, ${STEP}, step_names => array[${NAME}]`,
  "of one of many steps": `'{keep}', '{null}', null, step_items => '{1,1}', step_positions => '{1,2}',
    step_kinds => '{run,run}', step_outputs => '{1,1}', step_attempts => '{1,1}', step_durations => '{1,1}',
    step_names => array['a', ${NAME}]`,
  "of a wait": `'{suspend}', array[jsonb_build_object('waits', jsonb_build_array(
    jsonb_build_object('kind', 'event', 'event', 'e', 'step', ${NAME})), 'retries', '[]'::jsonb, 'journaled', 0)], null`,
  "of a retry": `'{suspend}', array[jsonb_build_object('waits', '[]'::jsonb, 'retries', jsonb_build_array(
    jsonb_build_object('attempt', 1, 'step', ${NAME}, 'dueAt', 1, 'error', '{}'::jsonb)), 'journaled', 0)], null`,
  "of a step that invokes": `'{keep}', '{null}', null, ${EFFECT}, effect_steps => array[${NAME}]`,
  "of a step that streams": `'{keep}', '{null}', null, ${STREAM}, stream_steps => array[${NAME}]`,
  "of a value": `'{keep}', '{null}', null, state_items => '{1}', state_values => '{1}', state_keys => array[${NAME}]`,
};

const runs = await setupRuns("named");

const commit = (delivery: Delivery, way: string, name: string): Promise<unknown[]> =>
  runs.database.query(
    `select outcome from queue.workflow_commit('{named}', array[$1::bigint], array[$2::bigint], ${way})`,
    [delivery.run_id, delivery.receipt, name],
  );

describe.each(Object.entries(WAYS))("the name %s", (_what, way) => {
  it("has at most 512 characters, without control characters", async () => {
    const runId = await runs.start();
    const delivery = await runs.receiveOne();
    for (const name of ["x".repeat(513), "x".repeat(20_000), "a\nb", "\u0085"]) {
      await expect(commit(delivery, way, name)).rejects.toMatchObject({
        code: "OX003",
        message: expect.stringContaining(`of ${name.length} characters`),
        hint: expect.stringContaining("1 to 512 characters"),
      });
    }
    expect(await commit(delivery, way, LONGEST)).toEqual([{ outcome: "ok" }]);
    await runs.database.query("select queue.workflow_cancel($1)", [runId]);
  });
});

it("a step has a name, in any commit", async () => {
  await runs.start();
  const delivery = await runs.receiveOne();
  const { run_id: runId, receipt } = delivery;
  const invalid = { code: "OX003", message: expect.stringContaining('""') };
  await expect(commit(delivery, WAYS["of a step"], "")).rejects.toMatchObject(invalid);
  await expect(
    runs.database.query("select queue.workflow_commit_tx($1, $2, '')", [runId, receipt]),
  ).rejects.toMatchObject(invalid);
  await expect(
    runs.database.query("select queue.workflow_complete_step($1, '', '1', null, null, null, $2)", [
      runId,
      receipt,
    ]),
  ).rejects.toMatchObject(invalid);
  expect(await runs.journal(runId)).toEqual([]);
});
