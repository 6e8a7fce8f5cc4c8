create or replace function queue._acting_starters()
returns text[]
language plpgsql
stable
as $function$
begin
  return case when nullif(current_setting('oxbow.actor', true), '') is not null then array[(queue._actor()).name] end;
end
$function$;

comment on function queue._acting_starters() is
$comment$Returns the actor of the transaction as the starter of runs; null unless the setting oxbow.actor names one.
Errors: OX004 invalid setting oxbow.actor.$comment$;
