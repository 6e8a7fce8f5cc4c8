create or replace function queue._wal_timeline()
returns integer
language plpgsql
stable
as $function$
begin
  -- Not from the control file, which contains a promotion only after the next checkpoint.
  return case
    when not pg_is_in_recovery() then ('x' || left(pg_walfile_name(pg_current_wal_insert_lsn()), 8))::bit(32)::integer
  end;
end
$function$;

comment on function queue._wal_timeline() is
$comment$Returns the timeline of the write-ahead log that this server writes. It changes with each promotion and each recovery from an archive.
Returns its number; null on a standby, which writes no log.$comment$;
