create or replace function queue._masked_url(url text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  -- A user without a password may well be a token.
  select regexp_replace(
    regexp_replace(_masked_url.url, '^([a-zA-Z]+://)[^/?#:]*@', '\1***@'),
    '^([a-zA-Z]+://[^/?#:]*:)[^/?#]*@', '\1***@'
  )
$function$;

comment on function queue._masked_url(text) is
$comment$A url without the password in it, to be shown or logged.
Returns the url; what is not a url as it is.
Touches: nothing.$comment$;
