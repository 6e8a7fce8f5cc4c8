create or replace function queue._lock_homes(routes text[])
returns boolean
language plpgsql
volatile
as $function$
begin
  if not queue._in_fleet() then
    return false;
  end if;
  perform case
      when not pg_try_advisory_xact_lock_shared(l.key) then queue._await_lock(l.key, true, 'the homes of routes')
    end
  from (
    select distinct queue._slot_lock_key(queue._route_slot(r.route)) as key
    from unnest(routes) as r (route)
    where r.route is not null
    order by 1
  ) as l;
  if current_setting('transaction_isolation') <> 'read committed' then
    -- Its snapshot may be older than the locks: it fails, to be repeated, if the map has changed since.
    begin
      perform
      from queue.fleet as f
      for share;
      -- The end of the subtransaction releases the row.
      raise sqlstate 'OX000';
    exception
      when sqlstate 'OX000' then
        null;
    end;
  end if;
  return true;
end
$function$;

comment on function queue._lock_homes(text[]) is
$comment$Keeps routes at home where they are until the transaction ends, in this shard. The map that the next statement reads does not change for them.
Returns true; false in a standalone database, where it does nothing.
Errors: 40001 the map has changed since the snapshot of a transaction that is not READ COMMITTED: repeat the transaction.
Touches: advisory locks of slots, shared, until the transaction ends (waits); reads queue.fleet, whose row a transaction that is not READ COMMITTED locks for a moment (waits).$comment$;
