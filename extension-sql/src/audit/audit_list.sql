create or replace function queue.audit_list(
  actor           text default null,
  action          text default null,
  subject_type    text default null,
  subject         text default null,
  acted_after     timestamptz default null,
  acted_before    timestamptz default null,
  before          bigint default null,
  before_acted_at timestamptz default null,
  max_entries     integer default 100
)
returns setof queue.audit_entry
language plpgsql
stable
security definer
-- plans: index
as $function$
begin
  perform queue._check_count(max_entries, 'max_entries', 10000, 'Request between 1 and 10000 entries at a time.');
  if num_nulls(before, before_acted_at) = 1 then
    perform queue._raise('OX004', 'before and before_acted_at require each other', null,
      'Pass audit_id and acted_at of the last row of the previous page, or neither.');
  end if;
  if not queue._require_current_tables() then
    return;
  end if;
  -- Conditions that are not given are left out, so that the planner sees which index serves the others.
  return query execute format($sql$
    select a.audit_id, a.acted_at, a.actor_kind, a.actor, a.token, a.role_name::text, a.address, a.action, a.subject_type,
      a.subject, a.outcome, a.detail
    from queue.audit as a
    where %s
    order by a.acted_at desc, a.audit_id desc
    limit $9
  $sql$, concat_ws(' and ',
    'true',
    case when actor is not null then 'a.actor = $1' end,
    case when action is not null then 'a.action = $2' end,
    case when subject_type is not null then 'a.subject_type = $3' end,
    case when subject is not null then 'a.subject = $4' end,
    case when acted_after is not null then 'a.acted_at >= $5' end,
    case when acted_before is not null then 'a.acted_at < $6' end,
    case when before is not null then '(a.acted_at, a.audit_id) < ($8, $7)' end
  ))
  using actor, action, subject_type, subject, acted_after, acted_before, before, before_acted_at, max_entries;
end
$function$;

comment on function queue.audit_list(text, text, text, text, timestamptz, timestamptz, bigint, timestamptz, integer) is
$comment$Lists a page of the audit, newest first: who changed what by hand, when, from where and with which outcome. Changes by the clock, by workers and by the sweep are not in it, and neither are starts, signals and messages of applications.
actor, action, subject_type, subject: entries with exactly these values; null means any. Entries by actor, and by subject_type with subject, are found through indexes.
acted_after, acted_before: from the first instant, until before the second.
before, before_acted_at: audit_id and acted_at of the last row of the previous page; null for the first page. Later actions do not shift the pages.
max_entries: size of the page, 1 to 10000.
Returns one row per object that an action was about; fewer than max_entries on the last page.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.audit.$comment$;
