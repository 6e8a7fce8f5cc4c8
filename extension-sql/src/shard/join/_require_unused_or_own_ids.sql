create or replace function queue._require_unused_or_own_ids(blocks smallint[])
returns void
language plpgsql
volatile
as $function$
declare
  v_skipped constant bigint := coalesce(pg_sequence_last_value('queue.skipped_ids'), 0);
  v_name    text;
  v_id      bigint;
begin
  select i.id::regclass::text, pg_sequence_last_value(i.id)
  into v_name, v_id
  from queue._id_sequences() as i (id)
  where pg_sequence_last_value(i.id) > v_skipped
    and not (
      (pg_sequence_last_value(i.id) >> 36) = any (blocks)
      -- An older id lies in the blocks before.
      and coalesce((
        select bool_and(b.block = any (blocks))
        from generate_series((v_skipped + 1) >> 36, pg_sequence_last_value(i.id) >> 36) as b (block)
      ), true)
    )
  limit 1;
  if found then
    perform queue._raise(
      'OX004',
      format('this database has given out ids up to %s of %s, which are not of blocks %s', v_id, v_name, blocks),
      null,
      'Only the first shard of a fleet may have runs or messages already: give a new database for each of the others.'
    );
  end if;
end
$function$;

comment on function queue._require_unused_or_own_ids(smallint[]) is
$comment$Requires that this database has given out no ids of runs or messages, or only ids of these blocks.
Errors: OX004 it has given out others.
Touches: nothing.$comment$;
