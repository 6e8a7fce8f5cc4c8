create or replace function queue._are_step_names(names text[])
returns boolean
language plpgsql
immutable
parallel safe
as $function$
declare
  v_name text;
begin
  foreach v_name in array names loop
    if queue._is_step_name(v_name) is not true then
      return false;
    end if;
  end loop;
  return true;
end
$function$;

comment on function queue._are_step_names(text[]) is
$comment$Returns whether all texts are valid names of steps, or keys of values. A loop, since a query would cost more.
Errors: 22004 names is null.$comment$;
