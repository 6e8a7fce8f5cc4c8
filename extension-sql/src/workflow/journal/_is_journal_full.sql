create or replace function queue._is_journal_full(run_id bigint, journaled integer, added integer, added_bytes bigint)
returns boolean
language plpgsql
stable
-- plans: index, no bitmap
as $function$
begin
  -- When commits look, too.
  if (journaled + added) / 64 = journaled / 64 and coalesce(added_bytes, 0) <= 65536 then
    return false;
  end if;
  return journaled + added > queue._max_journal_rows()
    or coalesce(added_bytes, 0) + coalesce((
      select sum(s.bytes)
      from queue.workflow_step as s
      where s.run_id = _is_journal_full.run_id
        and s.bytes is not null
    ), 0) > queue._max_journal_bytes();
end
$function$;

comment on function queue._is_journal_full(bigint, integer, integer, bigint) is
$comment$Returns whether the ends of waits would take the journal of a run beyond its limits. A signal and the end of a child run can't be refused for that, so they are left to the next commit of the run, which is. The run then fails.
journaled: rows in the journal.
added, added_bytes: rows that the ends take, and the size of their large values.
Touches: nothing; reads the sizes of large rows of queue.workflow_step.$comment$;
