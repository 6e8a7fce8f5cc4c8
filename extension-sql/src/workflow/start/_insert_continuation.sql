create or replace function queue._insert_continuation(
  place       queue.run_place,
  run_id      bigint,
  version     integer,
  enqueued_at timestamptz,
  has_journal boolean default false
)
returns void
language plpgsql
volatile
as $function$
begin
  insert into queue.workflow_continuation (
    msg_id, visible_at, enqueued_at, settled_receipt, queue_id, workflow_queue_id, version, message
  )
  values (
    run_id, clock_timestamp(), _insert_continuation.enqueued_at,
    -- A settled receipt, even the impossible 0, shows that the run has a journal.
    case when has_journal then 0 end, place.queue_id, place.workflow_queue_id,
    case when place.pool_id is null then _insert_continuation.version else 1 end, '{}'
  );
end
$function$;

comment on function queue._insert_continuation(queue.run_place, bigint, integer, timestamptz, boolean) is
$comment$Inserts the continuation of a run that begins, or begins again, outside of the hot path: workers can receive it from now on. The transaction has written the run before: see _advance_ready_mark().
place: as _run_place() returns it.
version: of the run; in a pool, its continuation has version 1.
enqueued_at: when the run was started.
has_journal: whether the run may have steps.
Touches: queue.workflow_continuation.$comment$;
