create or replace function queue._judge_incarnation(thorough boolean)
returns text
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
-- plans: index
as $function$
declare
  v_own      record;
  v_system   bigint;
  v_is_other boolean;
begin
  select i.state, i.system_identifier, i.server_version, i.guarded_timeline, i.is_untouched, i.is_same_database
  into v_own
  from queue._own_incarnation() as i;
  if coalesce(v_own.state, 'held') in ('new', 'held') then
    return coalesce(v_own.state, 'held');
  elsif not v_own.is_same_database then
    return 'moved';
  end if;
  v_is_other := v_own.guarded_timeline is not null
    and case when not pg_is_in_recovery() then v_own.guarded_timeline <> queue._wal_timeline() else false end;
  if v_own.is_untouched and not v_is_other and not thorough then
    return 'home';
  end if;

  select c.system_identifier into v_system from pg_control_system() as c;
  return case
    when v_system = v_own.system_identifier then case when v_is_other then 'promoted' else 'home' end
    when v_own.is_untouched
      and v_own.server_version / 10000 <> current_setting('server_version_num')::integer / 10000 then 'upgraded'
    else 'moved'
  end;
end
$function$;

comment on function queue._judge_incarnation(boolean) is
$comment$Compares where this database is with where it was. What costs nothing comes first: the oid of the database is in the path of each table, and the transaction that wrote a row is another one after a restore. Where that fits, the control file is only read if asked for; where it doesn't, the control file decides, since a table may have been written anew in place.
thorough: whether to read the control file in any case.
Returns home; promoted (on another timeline, where that counts: see guard_incarnation()); new (nobody has looked before); upgraded (by pg_upgrade, which makes a new cluster of the same files); moved (this is a copy); or held.
Touches: nothing; reads queue.own_incarnation.$comment$;
