create or replace function queue._run_tables()
returns table (table_name text, run_column text)
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  values
    ('workflow_run', 'run_id'),
    ('workflow_continuation', 'msg_id'),
    ('workflow_step', 'run_id'),
    ('workflow_failed_attempt', 'run_id'),
    ('workflow_buffered_signal', 'run_id'),
    ('workflow_signal_receipt', 'run_id'),
    ('workflow_run_state', 'run_id'),
    ('workflow_stream_chunk', 'run_id'),
    ('workflow_generation', 'run_id'),
    ('workflow_starter', 'run_id')
$function$;

comment on function queue._run_tables() is
$comment$Lists the tables whose rows move with their run. Of the others, queue.workflow_progress concerns a call that has ended, and _require_movable() refuses runs with rows in the rest.$comment$;
