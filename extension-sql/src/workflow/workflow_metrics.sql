create or replace function queue.workflow_metrics(since timestamptz, bounds double precision[])
returns jsonb
language plpgsql
volatile
security definer
-- plans: index
as $function$
declare
  v_until constant timestamptz := clock_timestamp() - interval '5 seconds';
  v_since constant timestamptz := greatest(coalesce(since, v_until), v_until - interval '1 hour');
  v_answer jsonb;
begin
  v_answer := jsonb_build_object('until', v_until, 'started', jsonb_build_array(), 'ended', jsonb_build_array(),
    'steps', jsonb_build_array());
  if not queue._require_current_tables() or v_since >= v_until then
    return v_answer;
  end if;

  v_answer := v_answer || jsonb_build_object('started', (
    select coalesce(jsonb_agg(to_jsonb(s)), '[]')
    from (
      select r.workflow_name as workflow, count(*) as count
      from queue.workflow_run as r
      where r.started_at - timestamptz '2000-01-01 00:00:00+00' > v_since - timestamptz '2000-01-01 00:00:00+00'
        and r.started_at - timestamptz '2000-01-01 00:00:00+00' <= v_until - timestamptz '2000-01-01 00:00:00+00'
        and r.is_test is null
        and r.is_item is null
      group by r.workflow_name
    ) as s
  ));

  with ended as materialized (
    select r.run_id, r.workflow_name, r.status, r.is_item, extract(epoch from r.completed_at - r.started_at)::double precision as seconds
    from queue.workflow_run as r
    -- The expression of the index.
    where case when r.completed_at is not null then r.completed_at - timestamptz '2000-01-01 00:00:00+00' end
        > v_since - timestamptz '2000-01-01 00:00:00+00'
      and case when r.completed_at is not null then r.completed_at - timestamptz '2000-01-01 00:00:00+00' end
        <= v_until - timestamptz '2000-01-01 00:00:00+00'
      and r.is_test is null
  ),
  runs as (
    select e.workflow_name as workflow, e.status, width_bucket(e.seconds, bounds) as bucket, count(*) as count,
      sum(e.seconds) as sum
    from ended as e
    where e.is_item is null
    group by e.workflow_name, e.status, bucket
  ),
  called as (
    select e.workflow_name, s.step_name, s.attempts,
      extract(epoch from s.completed_at - s.started_at)::double precision as seconds
    from ended as e
    join queue.workflow_step as s on s.run_id = e.run_id
    where s.kind in ('run', 'tx', 'rollback')
  ),
  steps as (
    select c.workflow_name as workflow, c.step_name as step, width_bucket(c.seconds, bounds) as bucket,
      count(*) as count, sum(c.seconds) as sum, sum(c.attempts - 1) as retries
    from called as c
    group by c.workflow_name, c.step_name, bucket
  )
  select v_answer || jsonb_build_object(
      'ended', (select coalesce(jsonb_agg(to_jsonb(r)), '[]') from runs as r),
      'steps', (select coalesce(jsonb_agg(to_jsonb(s)), '[]') from steps as s)
    )
  into v_answer;
  return v_answer;
end
$function$;

comment on function queue.workflow_metrics(timestamptz, double precision[]) is
$comment$Returns counts and durations of runs and steps since a time, for a metrics endpoint: how many runs started and ended, how long they took, and how long the calls of their steps took. Steps count when their run ends. Items of loops are not counted as runs, but the calls of their steps are. A run that is retried ends again.
since: until of the previous result; null starts counting. Anything older than an hour is left out.
bounds: upper bounds of the duration buckets, in seconds, ascending.
Returns {"until": ..., "started": [{"workflow", "count"}], "ended": [{"workflow", "status", "bucket", "count", "sum"}], "steps": [{"workflow", "step", "bucket", "count", "sum", "retries"}]}, with sums in seconds. Bucket n holds durations from bounds[n] to below bounds[n + 1]. The period ends five seconds ago, so that transactions in progress are included; one that stays open longer is missed.
Touches: nothing; reads queue.workflow_run, rows that started or ended in the period, and queue.workflow_step of the ended ones.$comment$;
