create or replace function queue._record_action(
  action       text,
  subject_type text,
  subjects     text[],
  detail       jsonb default null,
  changed      boolean default true
)
returns void
language plpgsql
volatile
as $function$
declare
  v_actor constant queue.audit_actor := queue._actor();
begin
  perform queue._migrate_if_older();
  insert into queue.audit (
    acted_at, actor_kind, actor, token, role_name, address, action, subject_type, subject, outcome, detail
  )
  select clock_timestamp(), v_actor.kind, v_actor.name, v_actor.token, session_user, v_actor.address, action,
    subject_type, s.subject, case when changed then 'changed' else 'unchanged' end, nullif(jsonb_strip_nulls(detail), '{}')
  from unnest(subjects) as s (subject)
  where s.subject is not null;
end
$function$;

comment on function queue._record_action(text, text, text[], jsonb, boolean) is
$comment$Records in the caller's transaction that its actor did something to objects. Functions call it that a person or a token calls by hand, but not on a hot path.
action: object.verb. subject_type, subjects: one row is written per object.
detail: facts by name; nulls are left out. Never a payload or a password.
changed: whether the action found anything to do.
Errors: OX004 invalid setting oxbow.actor.
Touches: queue.audit.$comment$;
