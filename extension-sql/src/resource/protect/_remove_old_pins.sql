create or replace function queue._remove_old_pins(protection_id bigint, type text, id text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if to_regclass(queue._pin_table(protection_id)) is null then
    return;
  end if;
  execute format($sql$
    delete from %s as p
    using queue.resource_reference as r
    where r.type = $1
      and r.id = $2
      and r.reference_id = p.reference_id
      and r.reference_id not in (
        select s.reference_id from queue._reference_states($1, $2) as s where s.state <> 'draft'
      )
  $sql$, queue._pin_table(protection_id))
  using type, id;
end
$function$;

comment on function queue._remove_old_pins(bigint, text, text) is
$comment$Lets go of a resource that only archived versions without runs name.
Touches: queue.protected_reference_<protection_id>; reads queue.resource_reference; as _reference_states().$comment$;
