create or replace function queue._advance_ids()
returns void
language plpgsql
volatile
as $function$
declare
  v_id    constant bigint := greatest(
    pg_sequence_last_value('queue.skipped_ids'), pg_sequence_last_value('queue.workflow_run_run_id_seq'), 0
  );
  -- More than any lost tail of the log contains. Random, because this advance may itself be lost with the next tail.
  v_least constant bigint := case
    when coalesce(queue._last_own_id(v_id), (bigint '1' << 43) - 1) - v_id > 34000000000 then bigint '1000000000'
    else bigint '1000000'
  end;
begin
  perform queue._move_ids(v_least + floor(random() * v_least)::bigint);
end
$function$;

comment on function queue._advance_ids() is
$comment$Advances the sequences of runs, messages and subscriptions by the same number, between one and two billion, or between one and two million if fewer than 34 billion ids are left. The advance stays if the transaction rolls back.
Touches: the sequences in schema queue, queue.skipped_ids; reads queue.fleet.$comment$;
