create or replace function queue._listing_workflow(type text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select 'oxbow-resources-' || left(lower(regexp_replace(type, '[^A-Za-z0-9]', '-', 'g') collate "C"), 14) || '-'
    || left(encode(sha256(convert_to(type, 'UTF8')), 'hex'), 12)
$function$;

comment on function queue._listing_workflow(text) is
$comment$Returns the name of the workflow by which workers list the resources of a type. Workers derive it alike.$comment$;
