create or replace function queue._check_batch(fleet_id uuid, source integer, target integer, read_at timestamptz)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_fleet queue.fleet;
begin
  select f.* into v_fleet from queue.fleet as f;
  if v_fleet.fleet_id is distinct from fleet_id or v_fleet.shard <> target then
    perform queue._raise('OX028',
      format('items for shard %s of fleet %s came to shard %s of fleet %s', target, fleet_id,
        coalesce(v_fleet.shard::text, 'none'), coalesce(v_fleet.fleet_id::text, 'none')), null,
      'Correct the urls of the shards.');
  end if;
  if queue._must_hold(false) then
    perform queue._raise('OX028', format('shard %s is a copy, and held: it accepts nothing from shard %s', target, source), null,
      'Release it as live if it takes the place of its source.');
  end if;
  -- The rows that prevent a second effect are kept for longer.
  if abs(extract(epoch from clock_timestamp() - read_at)) > 3600 then
    perform queue._raise('OX004',
      format('a batch of shard %s was read at %s, more than an hour from now, %s', source, read_at, clock_timestamp()), null,
      'The relay was stopped in between, and reads it again; or the clocks of the shards differ: synchronize them.');
  end if;
end
$function$;

comment on function queue._check_batch(uuid, integer, integer, timestamptz) is
$comment$Requires that a batch of items is for this shard, and that its relay has read it lately.
Errors: OX004 it was read more than an hour ago; OX028 it is for another shard, or this one is held as a copy.
Touches: as _must_hold(); reads queue.fleet.$comment$;
