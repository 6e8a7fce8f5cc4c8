create or replace function queue.workflow_sum(
  key        text,
  filter     jsonb default '{}',
  by_tag     text default null,
  max_groups integer default 1000
)
returns setof queue.published_sum
language plpgsql
stable
security definer
-- plans: index
as $function$
declare
  v_filter constant queue.run_filter := queue._run_filter(filter);
begin
  if (length(key) between 1 and 512) is not true then
    perform queue._raise('OX004', format('invalid key "%s" of a published value', left(key, 40)), null,
      'Pass the key that the runs give to ctx.set(), such as usage.');
  elsif (max_groups between 1 and 100000) is not true then
    perform queue._raise('OX004', format('invalid max_groups %s', max_groups), null, 'Pass 1 to 100000.');
  end if;
  if not queue._require_current_tables() then
    return;
  end if;

  return query
    with found as materialized (
      select r.tags ->> by_tag as tag, s.value
      from queue._find_runs(v_filter, null, 2147483647, sorted => false) as f (run_id)
      -- One index lookup per run, whatever the statistics are.
      cross join lateral (
        select o.tags from queue.workflow_run as o where o.run_id = f.run_id limit 1
      ) as r
      cross join lateral (
        select o.value from queue.workflow_run_state as o where o.run_id = f.run_id and o.key = workflow_sum.key limit 1
      ) as s
    ),
    largest as (
      select f.tag, count(*) as runs
      from found as f
      group by f.tag
      order by count(*) desc, f.tag
      limit max_groups
    ),
    added as (
      select f.tag, m.name, sum(m.value::numeric) as total
      from found as f
      cross join lateral jsonb_each(
        case jsonb_typeof(f.value) when 'object' then f.value when 'number' then jsonb_build_object('', f.value) else '{}' end
      ) as m (name, value)
      where jsonb_typeof(m.value) = 'number'
      group by f.tag, m.name
    )
    select l.tag, l.runs, coalesce(a.sums, '{}')
    from largest as l
    left join (
      select d.tag, jsonb_object_agg(d.name, d.total) as sums
      from added as d
      group by d.tag
    ) as a on a.tag is not distinct from l.tag
    order by l.runs desc, l.tag;
end
$function$;

comment on function queue.workflow_sum(text, jsonb, text, integer) is
$comment$Sums the numbers in a value that runs have published with ctx.set(), such as the tokens and the cost in usage, by a tag of the runs.
key: of the value. Of an object, each member that is a number is summed by its name; a value that is a number is summed by the empty name.
filter: as in workflow_list(). Runs without the value are left out.
by_tag: the tag by whose value the runs are grouped, such as tenant; null for one group.
max_groups: how many groups to return, those with the most runs.
Returns one row per group, the one with the most runs first.
Errors: OX004 invalid argument.
Touches: nothing; reads queue.workflow_run, queue.workflow_continuation and queue.workflow_run_state of all runs that match.$comment$;
