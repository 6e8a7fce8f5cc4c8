create or replace function queue._sqs_free_name(sqs_name text)
returns text
language sql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  with stems as (
    select s.stem, s.stem ~ '^[a-z0-9][a-z0-9_-]{0,47}$' as is_valid
    from (select regexp_replace(_sqs_free_name.sqs_name, '[.]fifo$', '') as stem) as s
  ),
  candidates as (
    select 1 as position, s.stem as name, s.is_valid
    from stems as s
    union all
    select 2, s.stem || '-fifo', s.is_valid and length(s.stem) <= 43 and _sqs_free_name.sqs_name like '%.fifo'
    from stems as s
    union all
    select 3,
      left(ltrim(lower(s.stem), '-_'), 39) || '-'
        || left(encode(sha256(convert_to(_sqs_free_name.sqs_name, 'UTF8')), 'hex'), 8),
      ltrim(lower(s.stem), '-_') <> ''
    from stems as s
    union all
    select 4, 'sqs-' || left(encode(sha256(convert_to(_sqs_free_name.sqs_name, 'UTF8')), 'hex'), 16), true
  )
  select c.name
  from candidates as c
  where c.is_valid
    and not exists (select from queue.queue as q where q.name = c.name)
  order by c.position
  limit 1
$function$;

comment on function queue._sqs_free_name(text) is
$comment$Chooses the name of a queue that a client of SQS creates: its own name without ".fifo" where that is valid and free, otherwise one with a hash.
sqs_name: a valid name of SQS.
Returns a name that no queue has; null if all are taken.
Touches: nothing; reads queue.queue.$comment$;
