/**
 * What most installations have besides the runs that are measured: a workflow with flow control, a run that waits for a
 * child run, and a subscription to ends of runs. Nothing is done for them while a scenario is measured.
 */
import { connectTo } from "../measure/connect.ts";

/** @param url A database with Oxbow. */
export async function addBystanders(url: string): Promise<void> {
  const database = await connectTo(url);
  await database.query(
    `select queue.workflow_set_flow_control('limited', '{"concurrency": 1}'), queue.create_queue('ends'),
       queue.subscribe('oxbow.run.parent.*', 'queue', 'ends')`,
  );
  const { rows } = await database.query<{ run_id: string; receipt: string }>(
    `select run_id, receipt from queue.workflow_start_batch(
       'parent', array['{}'::jsonb], versions => array[1], lease_seconds => array[60])`,
  );
  await database.query(
    `select from queue.workflow_commit(
       array['parent'], array[$1::bigint], array[$2::bigint], array['suspend'],
       array['{"waits": [{"kind": "invoke", "step": "child"}], "retries": [], "journaled": 0}'::jsonb], array[null::timestamptz],
       effect_items => array[1], effect_kinds => array['invoke'], effect_steps => array['child'],
       effect_targets => array['child'], effect_events => array[null::text], effect_values => array['{}'::jsonb],
       effect_versions => array[1], effect_retention => array[null::integer], effect_traces => array[null::jsonb])`,
    [rows[0]?.run_id, rows[0]?.receipt],
  );
  await database.end();
}
