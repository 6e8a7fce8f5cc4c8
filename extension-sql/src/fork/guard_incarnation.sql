create or replace function queue.guard_incarnation(is_guarded boolean default true)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_changed boolean;
begin
  perform queue._ensure_migrated();
  if is_guarded is null then
    perform queue._raise('OX004', 'invalid is_guarded null', null, 'Pass true or false.');
  end if;
  -- A database that is already on another timeline is held by its previous guard.
  if queue._must_hold(true) is not false then
    perform queue._raise('OX004', 'a held database cannot be guarded', null,
      'Release it first; the release records its current timeline.');
  end if;
  update queue.own_incarnation as i
  set guarded_timeline = case when guard_incarnation.is_guarded then queue._wal_timeline() end,
    written_by = pg_current_xact_id()
  where i.guarded_timeline is null = guard_incarnation.is_guarded;
  v_changed := found;
  perform queue._record_action('database.guard', 'database', array[current_database()],
    jsonb_build_object('is_guarded', is_guarded), changed => v_changed);
  return v_changed;
end
$function$;

comment on function queue.guard_incarnation(boolean) is
$comment$Sets whether this database counts as a copy, and is held, once its server writes another timeline of the write-ahead log: after the promotion of a standby, or after recovery from an archive. Use it for databases without automatic failover; with failover, the takeover would stop all runs until release_incarnation(). A copied volume stays on its timeline and is not detected.
is_guarded: false removes the guard.
Returns true if this call changed the setting. A release keeps the guard.
Errors: OX004 invalid argument, or the database is held.
Touches: queue.own_incarnation; queue.audit.$comment$;
