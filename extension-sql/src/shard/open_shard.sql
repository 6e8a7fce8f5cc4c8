create or replace function queue.open_shard(name text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_was_open boolean;
begin
  perform queue._ensure_migrated();
  select s.is_open into v_was_open
  from queue.fleet_shard as s
  where s.name = open_shard.name
  for no key update;
  if not found then
    perform queue._raise('OX004', format('this database knows no shard "%s"', coalesce(left(name, 40), 'null')), null,
      'Add it: `oxbow shards add`.');
  end if;
  if v_was_open then
    return false;
  end if;
  update queue.fleet_shard as s
  set is_open = true
  where s.name = open_shard.name;
  perform queue._record_action('shard.open', 'database', array[current_database()],
    jsonb_build_object('shard', open_shard.name));
  return true;
end
$function$;

comment on function queue.open_shard(text) is
$comment$Lets runs and routes move from here to a shard that add_shard() has added. `oxbow shards open` calls it in each shard, once all clients know the url of the new one.
name: of the new shard.
Returns true; false if it was open already.
Errors: OX004 there is no shard of this name.
Touches: queue.fleet_shard, queue.audit.$comment$;
