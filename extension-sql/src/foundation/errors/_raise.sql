create or replace function queue._raise(code text, message text, detail text default null, hint text default null)
returns void
language plpgsql
volatile
parallel safe
as $function$
begin
  -- Options of RAISE must not be null.
  if _raise.detail is null and _raise.hint is null then
    raise exception using errcode = _raise.code, message = _raise.message;
  elsif _raise.detail is null then
    raise exception using errcode = _raise.code, message = _raise.message, hint = _raise.hint;
  elsif _raise.hint is null then
    raise exception using errcode = _raise.code, message = _raise.message, detail = _raise.detail;
  end if;
  raise exception using errcode = _raise.code, message = _raise.message, detail = _raise.detail, hint = _raise.hint;
end
$function$;

comment on function queue._raise(text, text, text, text) is
$comment$Raises an error of Oxbow. No other function uses RAISE for errors.
code: OX001 queue not found, OX002 queue exists with other settings, OX003 invalid name, OX004 invalid argument, OX005 run not found, OX006 tables missing or outdated, OX007 wrong kind of queue, OX008 payload too large, OX009 queue in use, OX010 idempotency conflict, OX011 schedule not found, OX012 definition not found, OX013 revision conflict, OX014 definition in use, OX015 invalid definition, OX016 name taken, OX017 definition inactive, OX022 approval not found, OX023 not an approver, OX024 trigger event not found, OX026 resource in use, OX027 resource not found, OX028 wrong shard, OX029 run moved, OX030 endpoint not found.
message: a short fact, with the offending value in quotes.
detail: numbers.
hint: a sentence about what to do.
Errors: always.
Touches: nothing.$comment$;
