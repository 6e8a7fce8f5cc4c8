create or replace function queue._masked_url(url text)
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select case
    when _masked_url.url ~ '^[a-zA-Z]+://[^/?#:]*:[^/?#]*@' then regexp_replace(_masked_url.url, '^([a-zA-Z]+://[^/?#:]*:)[^/?#]*@', '\1***@')
    -- What follows the colon is no port: a password with a /, ? or # that is not encoded.
    when _masked_url.url ~ '^[a-zA-Z]+://[^]/?#:[]*:(?!\d*([/?#]|$)).*@' then regexp_replace(_masked_url.url, '^([a-zA-Z]+://[^]/?#:[]*:).*@', '\1***@')
    -- A user name without a password may be a token.
    else regexp_replace(_masked_url.url, '^([a-zA-Z]+://)[^/?#]*@', '\1***@')
  end
$function$;

comment on function queue._masked_url(text) is
$comment$Masks the password in a url, for display and logs.
Returns the url; any other text unchanged.$comment$;
