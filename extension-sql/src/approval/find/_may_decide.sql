create or replace function queue._may_decide(approvers text[], actor text, actor_groups text[])
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select approvers is null
    or queue._names_person(approvers, actor)
    or coalesce(approvers && actor_groups, false)
$function$;

comment on function queue._may_decide(text[], text, text[]) is
$comment$Returns whether a request names a person, or one of the person's groups.
approvers: of the request; null means everyone.
Touches: nothing.$comment$;
