create or replace function queue._require_shard(name text)
returns smallint
language plpgsql
volatile
as $function$
declare
  v_shard       smallint;
  v_is_open     boolean;
  v_is_draining boolean;
begin
  perform queue._migrate_if_older();
  select s.shard, s.is_open, s.is_draining into v_shard, v_is_open, v_is_draining
  from queue.fleet_shard as s
  where s.name = _require_shard.name;
  if not found then
    perform queue._raise('OX004', format('this database knows no shard "%s"', coalesce(name, 'null')), null,
      'Give the name of a shard of its fleet: queue.fleet_map() has them.');
  end if;
  if v_is_open is not true then
    perform queue._raise('OX004', format('shard "%s" is not open yet', name), null,
      format('Give clients and workers its url, then run `oxbow shards open %s`.', name));
  end if;
  if v_is_draining is not false then
    perform queue._raise('OX004', format('shard "%s" is being drained', name), null,
      format('Choose another one, or run `oxbow shards drain %s --undo`.', name));
  end if;
  if queue._must_hold(false) is not false then
    perform queue._raise('OX028', 'this database is a copy, and held: its runs and routes can''t move', null,
      'Release it as live if it takes the place of its source.');
  end if;
  return v_shard;
end
$function$;

comment on function queue._require_shard(text) is
$comment$Returns the number of a shard that runs or routes move to.
name: of the shard.
Errors: OX004 there is no shard of this name, or it is not open, or is being drained; OX028 this database is held as a copy, and gives nothing away.
Touches: as _must_hold(); reads queue.fleet_shard.$comment$;
