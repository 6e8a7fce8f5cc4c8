create or replace function queue._check_settings(folder text, scope jsonb, pool text default null)
returns void
language plpgsql
stable
as $function$
begin
  if folder is not null and queue._is_name(folder) is not true then
    perform queue._raise('OX003', format('invalid folder "%s"', left(folder, 260)), null,
      'A folder is 1 to 256 characters without control characters that neither begin nor end with a space.');
  end if;
  if pool is not null then
    perform queue._check_pool_name(pool);
  end if;
  if (jsonb_typeof(scope) = 'object') is false then
    perform queue._raise('OX004', format('the scope is a JSON %s, not an object', jsonb_typeof(scope)), null,
      'Pass an object with the members that events must contain, or null.');
  end if;
end
$function$;

comment on function queue._check_settings(text, jsonb, text) is
$comment$Checks what a definition has besides its document.
Errors: OX003 invalid folder or pool, OX004 invalid scope.$comment$;
