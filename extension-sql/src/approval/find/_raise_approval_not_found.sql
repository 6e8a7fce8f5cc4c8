create or replace function queue._raise_approval_not_found(what text)
returns void
language plpgsql
volatile
parallel safe
as $function$
begin
  perform queue._raise('OX022', format('%s does not exist', what), null,
    'It may have been deleted with its run. List the requests with approval_list().');
end
$function$;

comment on function queue._raise_approval_not_found(text) is
$comment$Raises the error for a request that does not exist.
what: names it, as in: approval 42.
Errors: OX022 no such approval, always.
Touches: nothing.$comment$;
