create or replace function queue._refuse_internal_queue(name text)
returns void
language plpgsql
immutable
parallel safe
as $function$
begin
  if starts_with(name, '__') is not false then
    perform queue._raise('OX007', format('queue "%s" belongs to Oxbow', coalesce(left(name, 100), 'null')), null,
      'Messages of Oxbow''s own queues don''t cross shards.');
  end if;
end
$function$;

comment on function queue._refuse_internal_queue(text) is
$comment$Requires that an item of another shard concerns a queue of users. Oxbow's own queues stay in their shards, and what they contain is trusted: a message of __http is a signed delivery.
Errors: OX007 the queue belongs to Oxbow.$comment$;
