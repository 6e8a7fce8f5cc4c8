create or replace function queue.add_shard(name text, number integer, blocks integer[])
returns boolean
language plpgsql
volatile
security definer
set lock_timeout = '10s'
as $function$
declare
  v_known queue.fleet_shard;
begin
  perform queue._ensure_migrated();
  -- A change of the map is sent to the new shard, or is in the map that it joins with.
  perform
  from queue.fleet as f
  for no key update;
  if not found then
    perform queue._raise('OX004', 'this database is no shard of a fleet', null, 'Make it one: `oxbow shards init`.');
  end if;
  select s.* into v_known
  from queue.fleet_shard as s
  where s.name = add_shard.name
    or s.shard = add_shard.number
    or s.blocks && add_shard.blocks::smallint[]
  order by s.name = add_shard.name desc
  limit 1;
  if found then
    if v_known.name = add_shard.name and v_known.shard = add_shard.number and v_known.blocks = add_shard.blocks::smallint[] then
      return false;
    end if;
    perform queue._raise('OX004',
      format('shard %s with blocks %s is "%s"', v_known.shard, v_known.blocks, v_known.name), null,
      'Another command may have added it since: repeat `oxbow shards add`, with its url among those of the fleet.');
  end if;
  if (
    name ~ '^[a-z][a-z0-9-]{0,29}$' and number between 1 and 127
    and cardinality(blocks) > 0 and 0 <= all (blocks) and 127 >= all (blocks)
  ) is not true then
    perform queue._raise('OX004', format('invalid shard "%s" with number %s and blocks %s', left(name, 40), number, blocks), null,
      'A name is 1 to 30 characters of a-z, 0-9 and -; numbers and blocks are up to 127.');
  end if;
  insert into queue.fleet_shard (shard, name, blocks, is_open)
  values (add_shard.number::smallint, add_shard.name, add_shard.blocks::smallint[], false);
  perform queue._record_action('shard.add', 'database', array[current_database()],
    jsonb_build_object('shard', add_shard.name));
  return true;
end
$function$;

comment on function queue.add_shard(text, integer, integer[]) is
$comment$Records in this shard that another one joins its fleet, before it does: items for it wait from now on. Nothing can move there before open_shard(). `oxbow shards add` calls it in each shard, in the order of their numbers: the first decides between two that are added concurrently.
name: of the new shard.
number: the same in all shards, and of no other one.
blocks: its blocks of ids, of which no other shard has any.
Returns true; false if it is known already.
Errors: OX004 invalid argument, another shard has the number or a block, or this database is standalone; 55P03 a change of the map takes longer than ten seconds.
Touches: queue.fleet_shard, queue.audit; locks the row of queue.fleet.$comment$;
