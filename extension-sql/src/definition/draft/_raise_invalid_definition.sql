create or replace function queue._raise_invalid_definition(name text, problems jsonb)
returns void
language plpgsql
stable
as $function$
begin
  perform queue._raise(
    'OX015',
    format('definition "%s" is invalid: %s', left(name, 100), problems -> 0 ->> 'message'),
    jsonb_build_object('problems', problems)::text,
    problems -> 0 ->> 'hint'
  );
end
$function$;

comment on function queue._raise_invalid_definition(text, jsonb) is
$comment$Raises OX015 for a document. The detail has all problems.
problems: an array, as of _problem(), of at least one.
Errors: OX015, always.$comment$;
