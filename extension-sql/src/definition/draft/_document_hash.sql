create or replace function queue._document_hash(document jsonb)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select encode(sha256(convert_to(document::text, 'UTF8')), 'hex')
$function$;

comment on function queue._document_hash(jsonb) is
$comment$Returns the SHA-256 of a document as the database stores it, which sorts members. Equal documents have equal hashes.
Returns 64 hexadecimal digits.$comment$;
