create or replace function queue._move_ids(by bigint)
returns void
language plpgsql
volatile
as $function$
declare
  v_batch     constant integer := 500;
  v_sequences constant oid[] := array(
    select s.seqrelid
    from pg_sequence as s
    join pg_class as c on c.oid = s.seqrelid
    where c.relnamespace = 'queue'::regnamespace
      and c.relpersistence = 'p'
      and s.seqtypid = 'bigint'::regtype
      and c.relname not in ('skipped_ids', 'clock_shown')
    order by s.seqrelid
  );
begin
  perform setval('queue.skipped_ids', coalesce(pg_sequence_last_value('queue.skipped_ids'), 0) + _move_ids.by);
  for v_first in 1 .. cardinality(v_sequences) by v_batch loop
    begin
      perform setval(i.id, _move_ids.by + coalesce(pg_sequence_last_value(i.id), s.seqstart - 1))
      from unnest(v_sequences[v_first : v_first + v_batch - 1]) as i (id)
      join pg_sequence as s on s.seqrelid = i.id;
      -- setval() is not rolled back, but locks are released: the cluster may have more queues than locks.
      raise exception using errcode = 'OX000';
    exception
      when sqlstate 'OX000' then
        null;
    end;
  end loop;
end
$function$;

comment on function queue._move_ids(bigint) is
$comment$Advances the sequences of runs, messages and subscriptions by the same number. The advance stays if the transaction rolls back.
Touches: the sequences in schema queue but queue.clock_shown; queue.skipped_ids.$comment$;
