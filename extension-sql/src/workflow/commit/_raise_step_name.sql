create or replace function queue._raise_step_name(names text[])
returns void
language plpgsql
volatile
parallel safe
as $function$
begin
  perform queue._raise(
    'OX003',
    coalesce((
      select format('invalid name of a step or key of a value "%s", of %s characters',
        left(coalesce(n.name, 'null'), 60), coalesce(char_length(n.name), 0))
      from unnest(names) as n (name)
      where queue._is_step_name(n.name) is not true
      limit 1
    ), 'names of steps or keys of values are null'),
    null,
    'A name has 1 to 512 characters and no control characters. Nothing was written.'
  );
end
$function$;

comment on function queue._raise_step_name(text[]) is
$comment$Raises the error for the first text that is no valid name of a step or key of a value.
Errors: OX003 always.
Touches: nothing.$comment$;
