create or replace function queue.hold_relays()
returns void
language plpgsql
volatile
security definer
set lock_timeout = '10s'
as $function$
declare
  v_name text;
begin
  perform queue._ensure_migrated();
  select s.name into v_name
  from queue.fleet as f
  join queue.fleet_shard as s using (shard);
  if not found then
    perform queue._raise('OX004', 'this database is no shard of a fleet', null, 'A backup of one database is consistent by itself.');
  end if;
  -- Whoever holds them, and stops in the middle, must not do so for ever.
  perform set_config('idle_in_transaction_session_timeout', '60s', true);
  begin
    lock table queue.accepted in share row exclusive mode;
  exception
    when lock_not_available then
      perform queue._raise('55P03',
        format('the relays of shard "%s" are held by another checkpoint, or items arrive in a transaction of more than ten seconds', v_name),
        null, 'Repeat this when that has ended.');
  end;
  perform queue._record_action('shard.hold_relays', 'database', array[current_database()]);
end
$function$;

comment on function queue.hold_relays() is
$comment$Lets no items of other shards arrive here until the transaction ends; accept() calls under way end before. While all shards of a fleet hold their relays, backups, snapshots or restore points of them belong together: no effect is in one of them without its cause in another. Nothing else waits. The hold ends with its transaction or connection, and after 60 seconds without a statement: hold all shards in the order of their names, begin the first backup after the last of them is held, commit in all shards after the last backup is made, and discard all of them if one of these commits fails. `oxbow shards checkpoint` does that.
Errors: OX004 the database is no shard; 55P03 another transaction holds them, or a call of accept() takes longer than ten seconds: repeat the call.
Touches: queue.accepted, locked against writes until the transaction ends; the transaction's setting idle_in_transaction_session_timeout; queue.audit; reads queue.fleet, queue.fleet_shard.$comment$;
