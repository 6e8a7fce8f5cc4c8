create or replace function queue._check_map(map jsonb, name text)
returns void
language plpgsql
immutable
as $function$
declare
  v_shards  constant jsonb := coalesce(map -> 'shards', '[]');
  v_slots   constant jsonb := coalesce(map -> 'slots', '[]');
  v_numbers constant jsonb := jsonb_path_query_array(v_shards, 'strict $[*].number');
  v_names   constant jsonb := jsonb_path_query_array(v_shards, 'strict $[*].name');
  v_blocks  constant jsonb := jsonb_path_query_array(v_shards, 'strict $[*].blocks[*]');
  v_moved   constant jsonb := coalesce(map -> 'movedSlots', '{}');
  v_pins    constant jsonb := coalesce(map -> 'pins', '{}');
  v_problem constant text := case
    when not v_names @> to_jsonb(name) then format('the map has no shard "%s"', name)
    when exists (
      select from jsonb_array_elements_text(v_names) as n (name) where n.name !~ '^[a-z][a-z0-9-]{0,29}$'
    ) then 'the map has an invalid name of a shard'
    when jsonb_array_length(v_slots) <> 1024 then format('the map has %s slots, not 1024', jsonb_array_length(v_slots))
    when not v_numbers @> v_slots then 'a slot of the map is at home in a shard that the map does not have'
    when exists (
      select from jsonb_array_elements(v_blocks) as b (block) where (b.block)::integer not between 0 and 127
    ) then 'a block of the map is not between 0 and 127'
    when (select count(*) <> count(distinct b.block) from jsonb_array_elements(v_blocks) as b (block)) then
      'a block of the map is of two shards'
    when jsonb_path_exists(v_shards, '$[*] ? (@.blocks.size() == 0)') then 'a shard of the map has no block'
    when jsonb_typeof(v_moved) <> 'object' or jsonb_typeof(v_pins) <> 'object' then 'movedSlots or pins of the map is not an object'
    when not v_numbers @> jsonb_path_query_array(v_moved, '$.*') then
      'a slot of the map has moved to a shard that the map does not have'
    when not v_numbers @> jsonb_path_query_array(v_pins, '$.*') then
      'a route of the map is pinned to a shard that the map does not have'
    when exists (
      select from jsonb_object_keys(v_moved) as m (slot)
      where case when m.slot ~ '^[0-9]{1,4}$' then m.slot::integer > 1023 else true end
    ) then 'a moved slot of the map is not between 0 and 1023'
    when exists (
      select from jsonb_object_keys(v_pins) as p (route) where length(p.route) not between 1 and 512
    ) then 'a pinned route of the map is not 1 to 512 characters'
    when exists (
      select
      from (values (v_moved, map -> 'movedSlotEpochs'), (v_pins, map -> 'pinEpochs')) as h (homes, epochs)
      cross join lateral jsonb_object_keys(h.homes) as k (key)
      where case
        when h.epochs -> k.key is null then false
        when h.epochs ->> k.key !~ '^[1-9][0-9]{0,17}$' then true
        else (h.epochs ->> k.key)::bigint > (map ->> 'epoch')::bigint
      end
    ) then 'a home of the map has no version between 1 and that of the map'
  end;
begin
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null,
      'Let `oxbow shards init` make the map. Names of shards are 1 to 30 characters of a-z, 0-9 and -.');
  end if;
end
$function$;

comment on function queue._check_map(jsonb, text) is
$comment$Checks the map that a shard is to join with.
name: of the shard.
Errors: OX004 the map is invalid.$comment$;
