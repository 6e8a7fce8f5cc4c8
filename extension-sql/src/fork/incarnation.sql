create or replace function queue.incarnation()
returns queue.incarnation_info
language plpgsql
stable
security definer
as $function$
declare
  v_verdict text;
  v_info    queue.incarnation_info;
begin
  if not queue._require_current_tables() then
    return null;
  end if;
  v_verdict := queue._judge_incarnation(true);
  select i.incarnation_id, i.parent_id, i.state, i.origin, i.became_at, i.copied_at, i.guarded_timeline is not null
  into v_info
  from queue.own_incarnation as i;
  v_info.state := case
    when v_verdict in ('moved', 'promoted', 'held') then 'held'
    when v_verdict = 'new' then 'live'
    else v_info.state
  end;
  if v_verdict = 'moved' then
    v_info.origin := 'is in another cluster or database than before';
  elsif v_verdict = 'promoted' then
    v_info.origin := 'was promoted, or recovered from an archive';
  end if;
  return v_info;
end
$function$;

comment on function queue.incarnation() is
$comment$Returns the identity of this database. Its state is held if it detects that it is a copy (restored from a dump, or copied by CREATE DATABASE ... TEMPLATE), if its server writes another timeline and guard_incarnation() was called, or after hold_incarnation(), which copies of files need because they cannot be distinguished from their source.
Returns its id, its state (live, sandbox or held) and its origin; nulls if Oxbow has no tables yet.
Errors: OX006 the tables are older than the functions.
Touches: nothing; reads queue.own_incarnation.$comment$;
