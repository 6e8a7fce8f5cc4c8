create or replace function queue._judge_incarnation(thorough boolean)
returns text
language plpgsql
stable
-- plans: index
as $function$
declare
  v_own    record;
  v_system bigint;
begin
  select i.state, i.system_identifier, i.server_version, i.is_untouched, i.is_same_database, i.is_other_timeline
  into v_own
  from queue._own_incarnation() as i;
  if coalesce(v_own.state, 'held') in ('new', 'held') then
    return coalesce(v_own.state, 'held');
  elsif not v_own.is_same_database then
    return 'moved';
  elsif v_own.is_untouched and not v_own.is_other_timeline and not thorough then
    return 'home';
  end if;

  select c.system_identifier into v_system from pg_control_system() as c;
  return case
    when v_system = v_own.system_identifier then case when v_own.is_other_timeline then 'promoted' else 'home' end
    when v_own.is_untouched
      and v_own.server_version / 10000 <> current_setting('server_version_num')::integer / 10000 then 'upgraded'
    else 'moved'
  end;
end
$function$;

comment on function queue._judge_incarnation(boolean) is
$comment$Decides whether this database is a copy, by comparing where it is with where it was. Cheap evidence comes first: the path of a table contains the oid of the database, and after a restore another transaction has written the row. If both fit, the control file is read only if asked for. If not, the control file decides, because a table may have been rewritten in place.
thorough: read the control file in any case.
Returns home; promoted (on another timeline, if that counts: see guard_incarnation()); new (never judged before); upgraded (by pg_upgrade, which makes a new cluster of the same files); moved (a copy); or held.
Touches: nothing; reads queue.own_incarnation.$comment$;
