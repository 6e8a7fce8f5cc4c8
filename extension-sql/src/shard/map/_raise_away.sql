create or replace function queue._raise_away(subject text, shard smallint, epoch bigint, remedy text)
returns void
language plpgsql
stable
as $function$
declare
  v_home text;
  v_own  text;
begin
  select s.name, o.name into v_home, v_own
  from queue.fleet as f
  join queue.fleet_shard as s on s.shard = _raise_away.shard
  join queue.fleet_shard as o on o.shard = f.shard;
  perform queue._raise(
    'OX028',
    format('%s in shard "%s", not in "%s"', subject, v_home, v_own),
    jsonb_build_object('home', v_home, 'shard', v_own, 'epoch', epoch)::text,
    remedy
  );
end
$function$;

comment on function queue._raise_away(text, smallint, bigint, text) is
$comment$Raises OX028 for something that is in another shard, with the names of both shards.
subject: it, with the verb, such as: route "acme" is at home.
shard, epoch: number of the other shard, and the version of the map since which it is there.
remedy: the hint.
Errors: always.
Touches: nothing; reads queue.fleet, queue.fleet_shard.$comment$;
