create or replace function queue._raise_revision_conflict(
  name       text,
  given      integer,
  revision   integer,
  draft_by   text,
  drafted_at timestamptz
)
returns void
language plpgsql
stable
as $function$
begin
  perform queue._raise(
    'OX013',
    case
      when given is null then
        format('draft of definition "%s" has unpublished changes: "%s" saved revision %s', name, draft_by, revision)
      else format('draft of definition "%s" has revision %s, not %s: "%s" saved it', name, revision, given, draft_by)
    end,
    jsonb_build_object('revision', revision, 'savedBy', draft_by, 'savedAt', drafted_at)::text,
    case
      when given is null then 'Publish the draft first, merge it into the document, or apply with overwrite to discard it.'
      else 'Get the draft, merge your changes into it, and save it with its revision.'
    end
  );
end
$function$;

comment on function queue._raise_revision_conflict(text, integer, integer, text, timestamptz) is
$comment$Raises OX013 for a change that is based on another revision of a draft. The detail has whose revision is newer.
given: the revision that the caller named, or null.
revision, draft_by, drafted_at: of the draft.
Errors: OX013, always.$comment$;
