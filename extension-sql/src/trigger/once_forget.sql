create or replace function queue.once_forget(name text, key text)
returns boolean
language plpgsql
volatile
security definer
as $function$
declare
  v_forgotten boolean;
begin
  perform queue._ensure_migrated();
  delete from queue.definition_once as o
  using queue.definition as d
  where d.name = once_forget.name
    and o.definition_id = d.definition_id
    and o.key_hash = sha256(convert_to(once_forget.key, 'UTF8'));
  v_forgotten := found;
  perform queue._record_action('definition.forget-once', 'definition', array[name], changed => v_forgotten);
  return v_forgotten;
end
$function$;

comment on function queue.once_forget(text, text) is
$comment$Forgets that a definition has started its one run for these values of once_for: the next event that has them starts another.
key: the values as canonical JSON, as events list it: an array in the order of once_for, without spaces.
Returns whether there was such a run.
Touches: queue.definition_once, queue.audit.$comment$;
