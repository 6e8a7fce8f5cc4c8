create or replace function queue._is_administrator()
returns boolean
language plpgsql
stable
parallel safe
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

comment on function queue._is_administrator() is
$comment$Returns whether the caller is an administrator, who may see passwords in urls of subscriptions and name another actor for the audit: the owner of the functions, a role that may become the owner, or a member of oxbow_admin.$comment$;
