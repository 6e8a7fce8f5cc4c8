create or replace function queue._raise_schedule_not_found(name text)
returns void
language plpgsql
stable
as $function$
begin
  perform queue._raise('OX011', format('schedule "%s" does not exist', coalesce(left(name, 140), 'null')), null,
    'Check the name with schedule_list(), or create it with schedule_create().');
end
$function$;

comment on function queue._raise_schedule_not_found(text) is
$comment$Raises OX011 for the name of a schedule.
Errors: OX011, always.$comment$;
