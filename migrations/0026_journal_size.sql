-- The sizes of large journal rows, so that the size of a journal is known without reading it.

alter table queue.workflow_step add column bytes integer;

comment on column queue.workflow_step.bytes is 'Size of a large output or error, in bytes of JSON; null for one of less than 2,000 bytes.';

-- Runs that have ended are not received again.
update queue.workflow_step as s
set bytes = coalesce(octet_length(s.output::text), octet_length(s.error::text))
where s.run_id in (select m.msg_id from queue.workflow_continuation as m)
  and (pg_column_size(s.output) > 4000 or pg_column_size(s.error) > 4000);

create index workflow_step_large on queue.workflow_step (run_id) include (bytes) where bytes is not null;
