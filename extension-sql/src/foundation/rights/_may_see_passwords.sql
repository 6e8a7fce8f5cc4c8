create or replace function queue._may_see_passwords()
returns boolean
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_caller constant name := queue._caller();
begin
  return v_caller = current_user
    or pg_has_role(v_caller, current_user, 'usage')
    or exists (
      select from pg_roles as r where r.rolname = 'oxbow_admin' and pg_has_role(v_caller, r.oid, 'usage')
    );
end
$function$;

comment on function queue._may_see_passwords() is
$comment$Returns whether the caller may see passwords in urls of subscriptions: the owner of the functions and members of oxbow_admin may.
Returns true or false.
Touches: nothing.$comment$;
