create or replace function queue._catalog_pool(pool text, definition text)
returns text
language plpgsql
stable
as $function$
begin
  return case
    when definition is null then pool
    else coalesce(
      (
        select coalesce(d.configured_pool, _catalog_pool.pool, d.pool)
        from queue.definition as d
        where d.name = _catalog_pool.definition
      ),
      pool,
      'default'
    )
  end;
end
$function$;

comment on function queue._catalog_pool(text, text) is
$comment$The pool whose types a definition may name.
pool: as in the settings of documents; null if they don't name a pool.
definition: its name, which need not exist; null means any, so that pool stands as it is.
Returns the pool that definition_configure() has set, else pool, else that of the published version, else 'default'; null means all pools.
Touches: nothing; reads queue.definition.$comment$;
