create or replace function queue._queue_table(name text)
returns regclass
language plpgsql
stable
parallel safe
as $function$
declare
  v_table constant regclass := to_regclass(format('queue.%I', 'q_' || coalesce(_queue_table.name, '')));
begin
  if v_table is null then
    perform queue._raise_queue_not_found(_queue_table.name);
  end if;
  return v_table;
end
$function$;

comment on function queue._queue_table(text) is
$comment$Returns the table of a queue's messages, found in the catalog cache without reading a table.
Errors: OX001 no such queue.$comment$;
