create or replace function queue._have_writers_ended(queue_table regclass, horizon xid8, snapshot pg_snapshot)
returns boolean
language plpgsql
volatile
as $function$
begin
  if pg_snapshot_xmin(snapshot) >= horizon then
    return true;
  elsif pg_snapshot_xmax(snapshot) < horizon then
    return false;
  end if;

  -- A long transaction may be unrelated to this queue: then it does not hold a lock on the table.
  return not exists (
    select
    from pg_snapshot_xip(snapshot) as x (xid)
    join pg_locks as own
      on own.locktype = 'transactionid'
      and own.transactionid = x.xid::xid
      and own.mode = 'ExclusiveLock'
      and own.granted
    join pg_locks as held
      on held.virtualtransaction = own.virtualtransaction
      and held.locktype = 'relation'
      and held.relation = queue_table
      and held.mode <> 'AccessShareLock'
      and held.granted
    where x.xid < horizon
  );
end
$function$;

comment on function queue._have_writers_ended(regclass, xid8, pg_snapshot) is
$comment$Returns whether all transactions that had begun before a mark, and have written to a queue or still could with a clock read before it, have ended.
horizon: the first transaction that had not begun at the mark.
Touches: nothing; reads pg_locks if a transaction is that old.$comment$;
