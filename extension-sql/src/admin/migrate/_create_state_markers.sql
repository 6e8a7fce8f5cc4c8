create or replace function queue._create_state_markers(latest integer)
returns void
language plpgsql
volatile
as $function$
declare
  -- Databases at an earlier migration have no marker, and no release looks for one.
  v_first  constant integer := 26;
  v_marker text;
begin
  for v_version in v_first .. latest loop
    v_marker := format('queue.state_%s', lpad(v_version::text, 4, '0'));
    continue when to_regclass(v_marker) is not null;
    execute format('create type %s as ()', v_marker);
    execute format('comment on type %s is %L', v_marker,
      format('Marks that migration %s was applied. Functions look for this name in the catalog cache and read no table.', v_version));
  end loop;
end
$function$;

comment on function queue._create_state_markers(integer) is
$comment$Creates the markers of applied migrations: an empty composite type queue.state_<number> each, which to_regclass() finds without reading a table. A marker is never dropped, so functions of an earlier release still find theirs.
latest: number of the last applied migration.
Touches: creates the types that are missing.$comment$;
