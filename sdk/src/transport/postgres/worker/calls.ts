/** The SQL text that workers send: one constant a function. */
import { call, soon } from "../connection/call.ts";

export const workflowReceive = call(
  "workflow_receive",
  `select run_id, receipt, name, version, attempt, input, input is null as is_empty, journal, continuation,
     extract(epoch from started_at)::float8 * 1000 as started_at,
     extract(epoch from received_at)::float8 * 1000 as received_at, schedule, trace,
     failure_of, retried, extract(epoch from deadline)::float8 * 1000 as deadline, bytes::float8 as bytes
   from queue.workflow_receive(names => $1, versions => $2::jsonb, max_runs => $3, lease_seconds => $4, suspects => $5,
     max_bytes => $6)`,
);

export const workflowJournalPage = call(
  "workflow_journal_page",
  `select queue.workflow_journal_page(run_id => $1, after => $2) as journal`,
);

export const workflowCommit = call(
  "workflow_commit",
  `select run_id, receipt, outcome, resolved
   from queue.workflow_commit(
     names => $1::text[], run_ids => $2, receipts => $3, transitions => $4, results => $5::jsonb[],
     resume_at => $6::timestamptz[], step_items => $7, step_positions => $8, step_names => $9, step_kinds => $10,
     step_outputs => $11::jsonb[], step_errors => $12::jsonb[], step_attempts => $13, step_durations => $14,
     state_items => $15, state_keys => $16, state_values => $17::jsonb[], stream_items => $18,
     stream_steps => $19, stream_attempts => $20, stream_numbers => $21, stream_chunks => $22::jsonb[],
     effect_items => $23, effect_kinds => $24, effect_steps => $25, effect_targets => $26, effect_events => $27,
     effect_values => $28::jsonb[], effect_versions => $29, effect_retention => $30, effect_traces => $31::jsonb[],
     known => $32::jsonb[], skip_locked => $33)`,
);

export const workflowCommitSoon = soon(workflowCommit);

export const workflowCommitTx = call(
  "workflow_commit_tx",
  `select queue.workflow_commit_tx(
     run_id => $1::bigint, receipt => $2::bigint, step_name => $3::text, output => $4::jsonb,
     attempts => $5::integer, duration => $6::float8, known => $7::jsonb) as outcome`,
);

export const workflowHeartbeat = call(
  "workflow_heartbeat",
  `select run_id, receipt, outcome from queue.workflow_heartbeat(
     receipts => $1, lease_seconds => $2, known => $3::jsonb[], report_busy => true)`,
);

export const workflowReportProgress = call(
  "workflow_report_progress",
  `select queue.workflow_report_progress(receipts => $1::bigint[], worker => $2, steps => $3::jsonb[])`,
);

/** Null where nothing is going to be visible within the seconds that anybody sleeps. */
export const workflowNextVisibleIn = call(
  "workflow_next_visible_in",
  `select case
     when next.at <= clock_timestamp() then 0
     when next.at < 'infinity' then greatest(0, extract(epoch from next.at - clock_timestamp())::float8 * 1000)
   end as delay
   from (select queue.workflow_next_visible_at(names => $1, versions => $2::jsonb, within_seconds => 2) as at) as next`,
);
