create or replace function queue._check_schedule(
  name           text,
  workflow       text,
  cron           text,
  every_seconds  integer,
  time_zone      text,
  input          jsonb,
  tags           jsonb,
  jitter_seconds numeric,
  catch_up       text,
  catch_up_limit integer,
  grace_seconds  numeric,
  overlap        text
)
returns void
language plpgsql
stable
as $function$
declare
  v_problem text;
begin
  if queue._is_name(name) is not true then
    perform queue._raise('OX003', format('invalid schedule name "%s"', coalesce(left(name, 260), 'null')), null,
      'A schedule name is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  perform queue._check_workflow_name(workflow);

  v_problem := case
    when num_nonnulls(cron, every_seconds) <> 1 then 'pass either a cron expression or every_seconds'
    -- Only tickers parse the rest of the expression.
    when length(cron) > 256 or cron !~ '^\s*(@[a-zA-Z]+|[-0-9a-zA-Z*,/?#+]+(\s+[-0-9a-zA-Z*,/?#+]+){4,5})\s*$' then
      format('invalid cron expression "%s": it has five fields (minute, hour, day of the month, month, day of the week), or six, with the second first',
        left(cron, 100))
    when every_seconds not between 1 and 315360000 then
      format('invalid interval of %s seconds: it is between 1 second and 10 years', every_seconds)
    when time_zone is null then 'invalid time zone null'
    when every_seconds is not null and time_zone <> 'UTC' then
      format('time zone "%s" of an interval: an interval has no time zone', left(time_zone, 100))
    when jitter_seconds is null or jitter_seconds not between 0 and 86400 then
      format('invalid jitter of %s seconds: it is between 0 and 86400', coalesce(jitter_seconds::text, 'null'))
    when grace_seconds is null or grace_seconds not between 10 and 86400 then
      format('invalid grace of %s seconds: it is between 10 and 86400', coalesce(grace_seconds::text, 'null'))
    when catch_up is null or catch_up not in ('skip', 'latest', 'backfill') then
      format('invalid catch_up "%s": it is skip, latest or backfill', coalesce(left(catch_up, 40), 'null'))
    when catch_up = 'backfill' and (catch_up_limit is null or catch_up_limit not between 1 and 1000) then
      format('invalid catch_up_limit %s: a backfill has 1 to 1000 ticks', coalesce(catch_up_limit::text, 'null'))
    when catch_up <> 'backfill' and catch_up_limit is not null then
      format('catch_up_limit %s without a backfill', catch_up_limit)
    when overlap is null or overlap not in ('allow', 'skip') then
      format('invalid overlap "%s": it is allow or skip', coalesce(left(overlap, 40), 'null'))
    when overlap = 'skip' and catch_up = 'backfill' then
      'overlap "skip" excludes a backfill, whose runs would skip each other'
    when jsonb_typeof(tags) <> 'object' then
      format('tags are a JSON %s, not an object', jsonb_typeof(tags))
  end;
  if v_problem is not null then
    perform queue._raise('OX004', v_problem, null, format('Correct schedule "%s". Nothing was written.', name));
  end if;

  if (octet_length(input::text) > 1048576) is true then
    perform queue._raise('OX008', format('input of schedule "%s" has %s bytes', name, octet_length(input::text)), null,
      'An input has at most 1048576 bytes. Pass a reference to the data.');
  end if;

  begin
    perform clock_timestamp() at time zone time_zone;
  exception
    when invalid_parameter_value then
      perform queue._raise('OX004', format('unknown time zone "%s"', left(time_zone, 100)), null,
        'Use the IANA name of a time zone, such as Europe/Berlin.');
  end;
end
$function$;

comment on function queue._check_schedule(text, text, text, integer, text, jsonb, jsonb, numeric, text, integer, numeric, text) is
$comment$Checks the arguments of schedule_create(), as far as SQL can.
Errors: OX003 invalid name, OX004 invalid argument, OX008 input too large.$comment$;
