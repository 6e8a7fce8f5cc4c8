create or replace function queue._check_start(
  versions         integer[],
  idempotency_keys text[],
  retention_days   integer[],
  delay_seconds    numeric[],
  on_running       text[],
  on_ended         text[],
  deadline_seconds numeric[] default null
)
returns void
language plpgsql
stable
as $function$
declare
  v_message text;
begin
  select c.message into v_message
  from unnest(versions, idempotency_keys, retention_days, delay_seconds, on_running, on_ended, deadline_seconds)
    as i (version, key, days, delay, on_running, on_ended, deadline)
  cross join lateral (
    select case
      when i.version < 1 then format('invalid version %s: a version is 1 or more', i.version)
      when i.key = '' or length(i.key) > 512 then
        format('invalid idempotency key "%s": a key is 1 to 512 characters', left(i.key, 40))
      when i.days not between 0 and 36500 then
        format('invalid retention of %s days: it is between 0 and 36500', i.days)
      when i.deadline not between 0.001 and 3153600000 then
        format('invalid deadline of %s seconds: it is between 0.001 and 3153600000', i.deadline)
      when i.on_running not in ('use-existing', 'fail', 'cancel-existing') then
        format('invalid on_running "%s": it is use-existing, fail or cancel-existing', left(i.on_running, 40))
      when i.on_ended not in ('use-existing', 'start-new', 'start-new-if-failed') then
        format('invalid on_ended "%s": it is use-existing, start-new or start-new-if-failed', left(i.on_ended, 40))
      when i.key is null and (i.on_running <> 'use-existing' or i.on_ended <> 'use-existing') then
        'on_running and on_ended require an idempotency key'
      when i.delay not between 0 and 3153600000 then
        format('invalid delay of %s seconds: it is between 0 and 3153600000', i.delay)
    end
  ) as c (message)
  where c.message is not null
  limit 1;

  if found then
    perform queue._raise('OX004', v_message, null, 'Correct the value and start the run again. Nothing was written.');
  end if;
end
$function$;

comment on function queue._check_start(integer[], text[], integer[], numeric[], text[], text[], numeric[]) is
$comment$Checks the arguments of starts.
Errors: OX004 invalid argument, with the first invalid value.$comment$;
