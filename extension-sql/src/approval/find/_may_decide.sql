create or replace function queue._may_decide(approvers text[], starters text[], actor text, groups text[])
returns boolean
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select not queue._names_person(starters, actor)
    and (
      approvers is null
      or queue._names_person(approvers, actor)
      or coalesce(approvers && groups, false)
    )
$function$;

comment on function queue._may_decide(text[], text[], text, text[]) is
$comment$Returns whether a person may decide a request: one of its approvers, by name or as a member of a group, who did not start the run.
approvers: of the request; null means everyone.
starters: of the run who are excluded; null or empty excludes nobody.
groups: of the person.$comment$;
