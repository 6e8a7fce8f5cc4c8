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
  v_is_same boolean;
begin
  -- Other functions compare ids as text: a uuid in capital letters, or 007, would keep a resource that nothing leads to.
  execute format('select ($1::%s)::text = $1', v_id_type) into v_is_same using id;
  if v_is_same is not true then
    return false;
  end if;
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
id: as the cast of the column to text writes it.
Returns false if there is no such resource, or its id is written in another form.
Touches: queue.protected_reference_<protection_id>, the row of the resource.$comment$;
