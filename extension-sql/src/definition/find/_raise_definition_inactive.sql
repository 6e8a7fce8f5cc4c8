create or replace function queue._raise_definition_inactive(name text, state text, pause_reason text default null)
returns void
language plpgsql
stable
as $function$
begin
  perform queue._raise(
    'OX017',
    queue._inactivity(name, state, pause_reason),
    null,
    case state
      when 'paused' then 'Resume it with definition_resume().'
      else 'Publish it with definition_publish().'
    end
  );
end
$function$;

comment on function queue._raise_definition_inactive(text, text, text) is
$comment$Raises OX017 for a definition that starts no runs.
state, pause_reason: of the definition.
Errors: OX017, always.$comment$;
