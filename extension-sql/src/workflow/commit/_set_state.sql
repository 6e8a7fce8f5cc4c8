create or replace function queue._set_state(
  run_ids      bigint[],
  held         boolean[],
  state_items  integer[],
  state_keys   text[],
  state_values jsonb[],
  committed_at timestamptz
)
returns void
language plpgsql
volatile
as $function$
begin
  -- A replay sets the same values again, which writes nothing.
  insert into queue.workflow_run_state as s (run_id, set_at, key, value)
  select run_ids[i.item], committed_at, i.key, i.value
  from unnest(state_items, state_keys, state_values) as i (item, key, value)
  where queue._is_held(held, i.item)
  on conflict (run_id, key) do update
    set value = excluded.value,
      set_at = excluded.set_at
    where s.value is distinct from excluded.value;
end
$function$;

comment on function queue._set_state(bigint[], boolean[], integer[], text[], jsonb[], timestamptz) is
$comment$Writes the values that the runs of a commit publish.
held: by position, which leases are locked.
state_...: as in workflow_commit(); a key occurs once per run.
Touches: queue.workflow_run_state.$comment$;
