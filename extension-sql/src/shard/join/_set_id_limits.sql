create or replace function queue._set_id_limits()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_sequence record;
begin
  for v_sequence in
    select c.relname as name, greatest(pg_sequence_last_value(i.id), pg_sequence_last_value('queue.skipped_ids') + 1, 1) as id
    from queue._id_sequences() as i (id)
    join pg_class as c on c.oid = i.id
    order by c.oid
  loop
    execute format('alter sequence queue.%I maxvalue %s', v_sequence.name, queue._last_own_id(v_sequence.id));
  end loop;
end
$function$;

comment on function queue._set_id_limits() is
$comment$Lets the sequences of runs and messages end at the end of their blocks, so that no id of another shard is given out.
Touches: the sequences of runs and messages.$comment$;
