create or replace function queue.schedule_create(
  name           text,
  workflow       text,
  cron           text default null,
  every_seconds  integer default null,
  time_zone      text default 'UTC',
  input          jsonb default null,
  version        integer default null,
  tags           jsonb default null,
  retention_days integer default null,
  jitter_seconds numeric default 0,
  catch_up       text default 'latest',
  catch_up_limit integer default null,
  grace_seconds  numeric default 60,
  overlap        text default 'allow'
)
returns text
language plpgsql
volatile
security definer
as $function$
begin
  perform queue._require_own_schedule(name);
  if starts_with(name, 'definition:') is true then
    perform queue._raise('OX003', format('schedule name "%s" is reserved for triggers of definitions', left(name, 260)), null,
      'Choose a name that does not begin with "definition:".');
  end if;
  perform queue._refuse_reserved_workflow(workflow);
  return queue._record_schedule(
    name, workflow, cron, every_seconds, time_zone, input, version, tags, retention_days, jitter_seconds, catch_up,
    catch_up_limit, grace_seconds, overlap
  );
end
$function$;

comment on function queue.schedule_create(text, text, text, integer, text, jsonb, integer, jsonb, integer, numeric, text, integer, numeric, text) is
$comment$Creates a schedule, which starts a run of a workflow at each of its ticks, or changes the schedule of that name, in the caller's transaction. Tickers carry out the ticks; every worker and every server is one.
A change of cron, every_seconds, time_zone or jitter_seconds applies from the moment of the call. A paused schedule stays paused, unless Oxbow paused it because its ticks could not be computed: it resumes.
name: 1 to 256 characters without control characters that neither begin nor end with a space, and not with "definition:" in front, which triggers of definitions have.
workflow, input, version, tags, retention_days: of the runs, as in workflow_start(). Without a version, each tick starts the highest registered one. Each run also has the tag "schedule" with the name.
cron: minute, hour, day of the month, month, day of the week, with the second before them if there are six fields; or @hourly, @daily, @weekly, @monthly, @yearly. A ticker parses it; if that fails, the schedule is paused with the reason.
every_seconds: an interval, instead of cron. Its ticks are the multiples of the interval since 1970-01-01T00:00Z.
time_zone: IANA name of the time zone of cron.
jitter_seconds: the most by which all runs of the schedule are delayed. The name determines the delay, which spreads schedules evenly.
catch_up: what happens to missed ticks: skip them; latest starts a run for the newest one; backfill starts a run for each of the newest catch_up_limit, in order.
catch_up_limit: 1 to 1000, with backfill only.
grace_seconds: a tick is missed if no ticker carries it out within this time, 10 to 86400.
overlap: allow, or skip ticks while the schedule's last run is running.
Returns created, changed or unchanged.
Errors: OX003 invalid or reserved name, OX004 invalid argument, OX008 input too large, OX010 the schedule was deleted at the same time, OX028 it is at home in another shard.
Touches: queue.schedule; the table of queue __schedules, which is created with the first schedule; queue.audit.$comment$;
