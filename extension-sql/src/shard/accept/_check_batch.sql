create or replace function queue._check_batch(
  fleet_id uuid,
  source   integer,
  target   integer,
  read_at  timestamptz,
  item_ids bigint[],
  kinds    text[],
  causes   text[],
  bodies   jsonb[]
)
returns void
language plpgsql
volatile
as $function$
declare
  v_fleet queue.fleet;
begin
  select f.* into v_fleet from queue.fleet as f;
  if (v_fleet.fleet_id = fleet_id and v_fleet.shard = target) is not true then
    perform queue._raise('OX028',
      format('items for shard %s of fleet %s came to shard %s of fleet %s', coalesce(target::text, 'null'),
        coalesce(fleet_id::text, 'null'),
        coalesce(v_fleet.shard::text, 'none'), coalesce(v_fleet.fleet_id::text, 'none')), null,
      'Correct the urls of the shards.');
  end if;
  if (source between 0 and 127 and source <> target) is not true then
    perform queue._raise('OX004', format('invalid source %s of items for shard %s', coalesce(source::text, 'null'), target), null,
      'Give the number of the other shard, as outbox_take() returns it.');
  end if;
  if queue._must_hold(false) is not false then
    perform queue._raise('OX028', format('shard %s is a copy, and held: it accepts nothing from shard %s', target, source), null,
      'Release it as live if it takes the place of its source.');
  end if;
  -- The rows that prevent a second effect are kept for longer.
  if (abs(extract(epoch from clock_timestamp() - read_at)) <= 3600) is not true then
    perform queue._raise('OX004',
      format('a batch of shard %s was read at %s, more than an hour from now, %s', source, coalesce(read_at::text, 'null'),
        clock_timestamp()), null,
      'The relay was stopped in between, and reads it again; or the clocks of the shards differ: synchronize them.');
  end if;
  if (
    cardinality(item_ids) = all (array[cardinality(kinds), cardinality(causes), cardinality(bodies)])
    and num_nulls(
      array_position(item_ids, null), array_position(kinds, null), array_position(causes, null), array_position(bodies, null)
    ) = 4
  ) is not true then
    perform queue._raise('OX004', 'item_ids, kinds, causes and bodies of a batch don''t fit each other',
      format('%s item_ids, %s kinds, %s causes, %s bodies', cardinality(item_ids), cardinality(kinds), cardinality(causes),
        cardinality(bodies)),
      'Pass them as outbox_take() returns them: an element of each for every item, without nulls.');
  end if;
end
$function$;

comment on function queue._check_batch(uuid, integer, integer, timestamptz, bigint[], text[], text[], jsonb[]) is
$comment$Requires that a batch of items is for this shard, comes from another one, that its relay has read it lately, and that its arrays have an element for each item, without nulls.
Errors: OX004 it comes from no other shard, was read more than an hour ago, or has other arrays; OX028 it is for another shard, or this one is held as a copy.
Touches: as _must_hold(); reads queue.fleet.$comment$;
