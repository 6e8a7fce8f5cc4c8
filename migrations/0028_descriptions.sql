-- Descriptions of tables and columns in plain English.

comment on table queue.deduplication is
  'Deduplication ids of recent send_fifo() calls. Expired rows are reused, and deleted a few at a time by later sends.';
comment on column queue.deduplication.expires_at is
  'When the id may be used again.';
comment on table queue.queue is
  'One row per queue, from create_queue() to drop_queue(). Its messages are in queue.q_<name>.';
comment on column queue.queue.visibility_timeout is
  'Seconds for which a received message is in flight unless receive() specifies otherwise.';
comment on column queue.queue.max_receives is
  'How often a message is delivered before it moves to the dead letter queue; null for no limit.';
comment on column queue.queue.name is
  'Name of the queue; names that begin with "__" are reserved for Oxbow.';
comment on column queue.queue.retention_seconds is
  'Seconds after which a message that was not received is dropped; null for never.';
comment on column queue.queue.queue_id is
  'Number by which rows of shared tables refer to the queue.';
comment on column queue.queue.flow_control is
  'Settings of workflow_set_flow_control(); null if it was never called.';
comment on table queue.queue_grant is
  'One row per privilege of a role on one queue, from grant_queue() to revoke_queue(). A renamed or dropped role loses its privileges.';
comment on column queue.queue_grant.role_name is
  'The role; its members have the privilege too.';
comment on column queue.queue_grant.privilege is
  'send; or receive, which includes acknowledging.';
comment on table queue.ready_mark is
  'Where receives begin to read the ready index: the newest row of a queue counts. It affects speed only; an empty table is correct.';
comment on column queue.ready_mark.ready_from is
  'No message is, or will ever be, visible from an earlier time.';
comment on table queue.group_mark is
  'Below which id a message group is known to be empty: the newest row of a group counts. It affects speed only; an empty table is correct.';
comment on column queue.group_mark.taken_at is
  'When the mark was made; old marks are deleted now and then.';
comment on column queue.group_mark.empty_below is
  'The group has no message with a smaller id.';
comment on table queue.id_mark is
  'From which id on a FIFO queue has messages: the newest row of a queue counts. It affects speed only; an empty table is correct.';
comment on column queue.id_mark.least_id is
  'No message has, or will ever have, a smaller id; null if this was not determined yet.';
comment on table queue.own_incarnation is
  'One row: the identity of this database, and where the row was written. No migration may rewrite this table, because the transaction that wrote the row shows at no cost that it was not restored from a dump.';
comment on column queue.own_incarnation.copied_at is
  'Of a copy: up to when it has the history of its source; null if unknown.';
comment on column queue.own_incarnation.server_version is
  'As server_version_num. pg_upgrade makes a new cluster, but not a copy.';
comment on column queue.own_incarnation.state is
  'new: no run was received yet, and a copy is new too. live, sandbox. held: nothing is received, delivered or started by the clock until release_incarnation().';
comment on column queue.own_incarnation.guarded_timeline is
  'Timeline of the write-ahead log on which this database is at home; on another one it is a copy. Null if timelines do not matter, as with automatic failover.';
comment on table queue.captured_delivery is
  'One row per delivery to a url that a sandbox did not send.';
comment on column queue.captured_delivery.captured_at is
  'When the message was published; for a delivery that came with a copy, when the copy was released.';
comment on column queue.captured_delivery.url is
  'The url to which it was not sent.';
comment on column queue.captured_delivery.headers is
  'Its headers, including topic.';
comment on sequence queue.crash_marker is
  'Called once since the last crash recovery or promotion, after which the ids of this database are ahead of lost ones. See queue._skip_lost_ids().';
comment on sequence queue.skipped_ids is
  'How many ids each sequence of a queue has skipped in total; not called means none. A new queue begins after that many.';
comment on table queue.subscription is
  'One row per subscription, from subscribe() to unsubscribe(): where messages of matching topics go.';
comment on column queue.subscription.pattern is
  'Words separated by "."; "*" is any one word, "#" any number of words.';
comment on column queue.subscription.filter_hash is
  'jsonb_hash_extended() of the value that the filter requires at filter_path; 0 without a path.';
comment on column queue.subscription.filter_path is
  'Path, as a text array, to the one value of the filter that is indexed; empty if there is none.';
comment on column queue.subscription.failing_since is
  'Of a url: time of the first of the consecutive failures; null if the last delivery succeeded.';
comment on column queue.subscription.disabled_at is
  'Since when nothing is delivered; null if the subscription is enabled.';
comment on column queue.subscription.disabled_reason is
  'Failure of the last delivery before that.';
comment on table queue.schedule is
  'One row per schedule, from schedule_create() to schedule_delete(). Tickers compute its ticks; the database decides which are due, and that each is carried out once.';
comment on column queue.schedule.done_until is
  'Ticks up to this time have been carried out or skipped.';
comment on column queue.schedule.next_tick_at is
  'The next tick, without jitter; null until a ticker has computed it, while paused, and after the last tick.';
comment on column queue.schedule.last_tick_at is
  'The last tick that was not missed.';
comment on column queue.schedule.paused_at is
  'Since when the schedule is paused; null if it is not.';
comment on column queue.schedule.msg_id is
  'The message on __schedules that is its next tick; null while paused, and after the last tick.';
comment on column queue.schedule.jitter is
  'Maximum delay of all ticks of the schedule; the name determines the delay.';
comment on column queue.schedule.grace is
  'A tick that is later than this is missed, and catch_up applies.';
comment on column queue.schedule.every_seconds is
  'Length of the interval; its ticks are its multiples since 1970. Null for cron.';
comment on column queue.schedule.workflow_version is
  'Version of the runs; null for the highest registered one at the tick.';
comment on column queue.schedule.catch_up_limit is
  'For how many missed ticks a backfill starts runs.';
comment on column queue.schedule.cron is
  'Cron expression of five or six fields. Null for every_seconds.';
comment on column queue.schedule.time_zone is
  'IANA name of the time zone of the cron expression.';
comment on column queue.schedule.catch_up is
  'What happens to missed ticks: skip, latest (the newest starts a run) or backfill.';
comment on column queue.schedule.overlap is
  'Whether a tick starts a run while the previous run is running: allow or skip.';
comment on column queue.schedule.pause_reason is
  'Why it is paused: the reason passed to schedule_pause(), or a problem of the schedule.';
comment on column queue.schedule.tags is
  'Tags of the runs, in addition to the name of the schedule.';
comment on table queue.workflow_admission is
  'One row per run of a workflow with flow control, from its start until its end is processed, or until it is admitted if runs in flight are not counted. Its continuation is invisible until it is admitted. Only starts, ends and the holder of the lock of the admission (see _admit_runs()) write here.';
comment on column queue.workflow_admission.priority is
  'Higher values are admitted first.';
comment on column queue.workflow_admission.is_over is
  'The run has ended; its slots can be freed.';
comment on column queue.workflow_admission.is_again is
  'The run has ended, and was retried before its end was processed.';
comment on column queue.workflow_admission.state is
  'new: not processed yet. waiting: for its key. candidate: its key allows it to begin, and it waits for the workflow. admitted: in flight.';
comment on column queue.workflow_admission.key is
  'Key under which the limits per key count the run; empty if there is none.';
comment on table queue.workflow_gate is
  'Counts of a workflow (empty key) and of each of its keys that has runs. Only the holder of the lock of the admission writes here.';
comment on column queue.workflow_gate.opens_at is
  'When to look at the gate again without another event; null if only an event can open it.';
comment on column queue.workflow_gate.filled_at is
  'Until when the rate is used up, by the generic cell rate algorithm (ITU-T I.371): each run adds the spacing between two runs.';
comment on column queue.workflow_gate.key is
  'The key; empty for the whole workflow.';
comment on table queue.workflow_inbox is
  'One row per message of a topic that a run waits for, from the publish until the next receive delivers it as a signal.';
comment on table queue.workflow_buffered_signal is
  'Signals that matched no wait of their run when they arrived; the next matching wait takes them in order of arrival.';
comment on column queue.workflow_buffered_signal.payload is
  'The payload of the signal.';
comment on table queue.workflow_continuation is
  'One row per run in flight: the one message of its group, and the lock on the run. A row is ready if receipt is null and visible_at has passed; delayed if receipt is null and visible_at is in the future (asleep, waiting, backing off); leased if it has a receipt and visible_at, the end of the lease, is in the future; and receivable again after that.';
comment on column queue.workflow_continuation.visible_at is
  'When a worker may receive the run; infinity if only an event makes it ready.';
comment on column queue.workflow_continuation.settled_receipt is
  'Receipt of the delivery that the last commit gave back, by which a repeated commit is recognized; null while the journal is empty; 0 if the journal is not empty but there was no such delivery.';
comment on column queue.workflow_continuation.message is
  'Transient state: waits, retries, and the number of rows in the journal.';
comment on column queue.workflow_continuation.headers is
  'Requests to the run: paused, cancelled.';
comment on column queue.workflow_continuation.suspect_at is
  'When a worker that executes no other suspect may receive the run, because its last two or more leases expired without a commit. Until then, visible_at is its deadline, or infinity. infinity: a worker executes it apart from other suspects. Null: a death of its worker does not count.';
comment on column queue.workflow_continuation.deaths is
  'Receipts of consecutive workers that executed the run apart from other suspects and have sent nothing since their leases expired; null for none.';
comment on table queue.workflow_failed_attempt is
  'One row per failed call of a step that was called again, the first 10 and the last 90 of each step. Rows are deleted with their run.';
comment on column queue.workflow_failed_attempt.retry_at is
  'When the next call was due. Together with the step it identifies the failure, because a continuation that is written again contains the same time.';
comment on table queue.workflow_progress is
  'Steps that a worker is calling, for runs whose calls take longer than a second. Valid only while the receipt is alive. Rows are deleted with their run.';
comment on column queue.workflow_progress.worker is
  'Name of the worker: host and process.';
comment on table queue.workflow_run is
  'One row per run, from its start until the sweeper deletes it. Its continuation, in queue.q___wf_<workflow_name>, shows what a running run is doing.';
comment on column queue.workflow_run.completed_at is
  'When the run ended, with any status; null while it runs.';
comment on column queue.workflow_run.expires_at is
  'When the sweeper may delete the ended run: completed_at plus retention_days.';
comment on column queue.workflow_run.deadline is
  'When a run that is still running fails with DeadlineExceeded; null for never.';
comment on column queue.workflow_run.ended_by is
  'Receipt of the commit that ended the run, by which a repeated commit is recognized after a lost answer.';
comment on column queue.workflow_run.input is
  'Input of the run.';
comment on column queue.workflow_run.output is
  'Result of the body of a completed run.';
comment on column queue.workflow_run.tags is
  'Values to find the run by.';
comment on column queue.workflow_run.superseded_by is
  'The run that took over the idempotency key; null if this run still has it, or has none.';
comment on column queue.workflow_run.paused_at is
  'Since when the run is paused, until workflow_resume(); null if it is not.';
comment on column queue.workflow_run.parent_run_id is
  'The run whose step started this one; null if no step did.';
comment on column queue.workflow_run.parent_step is
  'Name of that step. A parent starts one run per step.';
comment on column queue.workflow_run.is_detached is
  'The parent does not wait for this run to end; null without a parent.';
comment on column queue.workflow_run.scheduled_at is
  'The tick of the schedule that started the run, whose name is its tag "schedule"; null for other runs.';
comment on column queue.workflow_run.trace is
  'Headers of the trace of the start, as text by name: {"traceparent": ...}; null if there was none.';
comment on column queue.workflow_run.retried is
  'How often the policy of its workflow has retried the run since it was started or retried by a user; null for never.';
comment on table queue.workflow_run_state is
  'Values that a run publishes while it runs. Rows are deleted with their run.';
comment on table queue.workflow_signal_receipt is
  'Deduplication ids of signals that a run has received. Rows are deleted with their run.';
comment on column queue.workflow_signal_receipt.outcome is
  'Outcome of the first signal with the id: delivered or buffered.';
comment on table queue.workflow_step is
  'The journal: one row per finished step. Rows are only inserted, the first commit of a step wins, and they are deleted with their run.';
comment on column queue.workflow_step.started_at is
  'completed_at minus the duration of the last call of the callback.';
comment on column queue.workflow_step.position is
  'Place in the run''s journal, from 1: the order in which a replay returns the values to the body. The clock does not determine it, because clocks are set back.';
comment on column queue.workflow_step.output is
  'Result of the step, or payload of the event; null if there was none, or a wait timed out.';
comment on column queue.workflow_step.bytes is
  'Size of a large output or error, in bytes of JSON; null for less than 2,000 bytes.';
comment on table queue.workflow_stream_chunk is
  'The stream of a run. Rows are deleted with their run.';
comment on column queue.workflow_stream_chunk.position is
  'Place in the stream of the run, from 1, with possible gaps.';
comment on column queue.workflow_stream_chunk.attempt is
  'Number of the call of the step, from 1; for the body, how many rows of the journal it had read.';
comment on column queue.workflow_stream_chunk.number is
  'Number of the chunk within its call, from 1, so that a replay writes no chunk twice; 0 or less for a reset.';
comment on column queue.workflow_stream_chunk.step_name is
  'The step whose callback wrote the chunk; empty for the body.';
comment on column queue.workflow_stream_chunk.chunk is
  'The value that was written.';
comment on column queue.workflow_stream_chunk.receipt is
  'Receipt of the delivery that wrote the chunk; the same for all chunks of one call of a step.';
comment on column queue.workflow_stream_chunk.since is
  'Of a reset: the first position at which chunks of the step were deleted; null for a chunk.';
comment on table queue.workflow_version is
  'One row per version of a workflow that a worker has registered, until workflow_unregister().';
comment on column queue.workflow_version.retention_days is
  'How long its ended runs are kept; null for 30 days.';
comment on column queue.workflow_version.deadline is
  'How long after its start a run fails; null for never.';
comment on column queue.workflow_version.on_failure is
  'Workflow to start for each of its runs that fails; null for none.';
