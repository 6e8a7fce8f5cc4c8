create or replace function queue._masked_url(url text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- A user name without a password may be a token.
  select regexp_replace(
    regexp_replace(_masked_url.url, '^([a-zA-Z]+://)[^/?#:]*@', '\1***@'),
    '^([a-zA-Z]+://[^/?#:]*:)[^/?#]*@', '\1***@'
  )
$function$;

comment on function queue._masked_url(text) is
$comment$Masks the password in a url, for display and logs.
Returns the url; any other text unchanged.$comment$;
