create or replace function queue._try_pin_reference(protection_id bigint, reference_id bigint, id text)
returns boolean
language plpgsql
volatile
as $function$
declare
  v_table   constant regclass := queue._pin_table(protection_id)::regclass;
  v_id_type constant regtype := (
    select a.atttypid::regtype
    from pg_attribute as a
    where a.attrelid = v_table
      and a.attname = 'id'
  );
begin
  execute format($sql$
    insert into %s (reference_id, id) values ($1, $2::%s) on conflict (reference_id) do nothing
  $sql$, v_table, v_id_type)
  using reference_id, id;
  return true;
exception
  when foreign_key_violation or invalid_text_representation or numeric_value_out_of_range then
    return false;
end
$function$;

comment on function queue._try_pin_reference(bigint, bigint, text) is
$comment$Keeps a protected resource from being deleted as long as a reference exists. It waits for a transaction that deletes the resource.
Returns false if there is no such resource.
Touches: queue.protected_reference_<protection_id>, the row of the resource.$comment$;
