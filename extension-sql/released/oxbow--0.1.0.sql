\echo Use "CREATE EXTENSION oxbow" to load this file. \quit

create type queue.claimed_runs as (
  run_ids       bigint[],
  receipts      bigint[],
  attempts      integer[],
  continuations jsonb[],
  is_fresh      boolean[],
  must_end      bigint[]
);

comment on type queue.claimed_runs is
  'Continuations leased by one statement, as parallel arrays. is_fresh: never leased before, so without a journal. must_end: those that are not to be delivered.';

create type queue.delivery as (
  msg_id           bigint,
  receipt          bigint,
  read_ct          integer,
  enqueued_at      timestamptz,
  visible_at       timestamptz,
  message_group_id text,
  message          jsonb,
  headers          jsonb
);

comment on type queue.delivery is
  'One delivery of a message. receipt proves it; read_ct counts deliveries, this one included; visible_at is when it ends; message_group_id is null in a standard queue.';

create type queue.extended_leases as (
  held      bigint[],
  signalled bigint[]
);

comment on type queue.extended_leases is
  'Receipts that are alive, and those of them whose runs have a matching signal in store.';

create type queue.queue_settings as (
  name               text,
  kind               text,
  visibility_timeout integer,
  max_receives       integer,
  dead_letter_queue  text,
  created_at         timestamptz
);

comment on type queue.queue_settings is
  'A queue as it was created. kind is standard, fifo or workflow; visibility_timeout is in seconds; max_receives and dead_letter_queue are null together.';

create type queue.queue_statistics as (
  name               text,
  visible            bigint,
  in_flight          bigint,
  delayed            bigint,
  groups             bigint,
  total_sent         bigint,
  oldest_message_age interval
);

comment on type queue.queue_statistics is
  'Counts of a queue''s messages. groups is null in a standard queue; total_sent counts message ids ever drawn, so also sends that were rolled back; oldest_message_age is null when the queue is empty.';

create type queue.started_run as (
  run_id  bigint,
  created boolean,
  status  text
);

comment on type queue.started_run is
  'Answer to a start: the run, whether this call created it, and its status.';

create type queue.violation as (
  invariant text,
  subject   text,
  detail    text
);

comment on type queue.violation is
  'A broken invariant: which one, of what, and what was found.';

create type queue.workflow_commit_result as (
  run_id   bigint,
  receipt  bigint,
  outcome  text,
  resolved jsonb
);

comment on type queue.workflow_commit_result is
  'What a commit did to one run: outcome is ok, lost or cancelled; resolved lists the event waits that it journaled.';

create type queue.workflow_delivery as (
  run_id       bigint,
  receipt      bigint,
  name         text,
  version      integer,
  attempt      integer,
  input        jsonb,
  journal      jsonb,
  continuation jsonb,
  started_at   timestamptz,
  received_at  timestamptz
);

comment on type queue.workflow_delivery is
  'One lease of a run with all that a replay needs: input, journal in commit order, waits and retries.';

create type queue.workflow_journal_entry as (
  name         text,
  kind         text,
  attempts     integer,
  output       jsonb,
  error        jsonb,
  started_at   timestamptz,
  completed_at timestamptz
);

comment on type queue.workflow_journal_entry is
  'One journal row as shown to people.';

create type queue.workflow_lease_notice as (
  run_id  bigint,
  receipt bigint,
  outcome text
);

comment on type queue.workflow_lease_notice is
  'A lease that needs its worker''s attention: outcome is lost, cancelled or signalled.';

create type queue.workflow_state as (
  run_id          bigint,
  name            text,
  version         integer,
  status          text,
  activity        text,
  input           jsonb,
  output          jsonb,
  error           jsonb,
  idempotency_key text,
  tags            jsonb,
  attempt         integer,
  waits           jsonb,
  retries         jsonb,
  started_at      timestamptz,
  completed_at    timestamptz,
  deadline        timestamptz,
  resumes_at      timestamptz
);

comment on type queue.workflow_state is
  'A run as shown to people: its row, and for a running one what its continuation tells (activity: ready, executing, sleeping, waiting or retrying).';

create function queue._call_worker(name text, run_id bigint)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_notify('queue___wf_' || name, run_id::text);
end
$function$;

comment on function queue._call_worker(text, bigint) is
$comment$Tells the worker that has leased a run that the run was cancelled or signalled, so that it needn't wait for its next heartbeat to learn it.
Touches: NOTIFY, at every call: for what happens rarely.$comment$;

create function queue._check_commit(
  names       text[],
  run_ids     bigint[],
  receipts    bigint[],
  transitions text[],
  results     jsonb[]
)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_message text;
begin
  select
    case
      when i.name is null or i.run_id is null or i.receipt is null then
        format('item %s of a commit lacks its workflow, run or receipt', i.item)
      when i.transition in ('suspend', 'keep') then
        format('invalid continuation of run %s: %s', i.run_id, left(i.result::text, 100))
      else format('invalid transition "%s" of run %s', i.transition, i.run_id)
    end
  into v_message
  from unnest(names, run_ids, receipts, transitions, results) with ordinality
    as i (name, run_id, receipt, transition, result, item)
  where i.name is null
    or i.run_id is null
    or i.receipt is null
    or i.transition is null
    or i.transition not in ('keep', 'suspend', 'complete', 'fail', 'release')
    or i.transition = 'suspend' and i.result is null
    or i.transition in ('suspend', 'keep') and jsonb_typeof(i.result) <> 'object'
  limit 1;

  if found then
    perform queue._raise('OX004', v_message, null,
      'Transitions are keep, suspend, complete, fail and release; a continuation is a JSON object.');
  end if;
end
$function$;

comment on function queue._check_commit(text[], bigint[], bigint[], text[], jsonb[]) is
$comment$Refuses a commit that is malformed, before anything is written.
Errors: OX004 invalid argument, naming the first bad item.
Touches: nothing.$comment$;

create function queue._check_continuations(name text, queue_table regclass)
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query execute format($sql$
    select 'a running run has one continuation', format('run %%s', r.run_id), format('workflow "%%s"', $1)
    from queue.workflow_run as r
    where r.workflow_name = $1
      and r.status = 'running'
      and not exists (select from %1$s as m where m.msg_id = r.run_id)
    union all
    select 'a continuation belongs to a running run', format('run %%s', m.msg_id), format('workflow "%%s"', $1)
    from %1$s as m
    left join queue.workflow_run as r
      on r.run_id = m.msg_id
      and r.workflow_name = $1
    where r.status is distinct from 'running'
    union all
    select 'a continuation has the version of its run', format('run %%s', m.msg_id), format('version %%s', m.version)
    from %1$s as m
    join queue.workflow_run as r on r.run_id = m.msg_id
    where r.workflow_version <> m.version
    union all
    select 'what is waited for or retried is not journaled', format('run %%s', m.msg_id), format('step "%%s"', s.step_name)
    from %1$s as m
    cross join lateral jsonb_array_elements(
      coalesce(m.message -> 'waits', '[]') || coalesce(m.message -> 'retries', '[]')
    ) as w
    join queue.workflow_step as s
      on s.run_id = m.msg_id
      and s.step_name = w ->> 'step'
    union all
    select 'a blocked run knows the length of its journal', format('run %%s', m.msg_id),
      format('%%s instead of %%s', m.message ->> 'journaled', j.rows)
    from %1$s as m
    cross join lateral (select count(*) as rows from queue.workflow_step as s where s.run_id = m.msg_id) as j
    where m.receipt is null
      and m.message ? 'journaled'
      and (m.message ->> 'journaled')::bigint <> j.rows
  $sql$, queue_table)
  using name;
end
$function$;

comment on function queue._check_continuations(text, regclass) is
$comment$The invariants of one workflow's continuations.
Returns a row for each violation.
Touches: nothing; reads runs, journals and continuations.$comment$;

create function queue._check_heads(name text, queue_table regclass)
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query execute format($sql$
    select 'a message group has one head, its oldest message',
      format('queue "%%s", group "%%s"', $1, m.message_group_id),
      format('oldest %%s, head %%s', min(m.msg_id), coalesce(min(m.msg_id) filter (where m.head)::text, 'none'))
    from %1$s as m
    group by m.message_group_id
    having count(*) filter (where m.head) <> 1
      or min(m.msg_id) filter (where m.head) <> min(m.msg_id)
  $sql$, queue_table)
  using name;
end
$function$;

comment on function queue._check_heads(text, regclass) is
$comment$The invariant of a FIFO queue: every message group has one head, its oldest message.
Returns a row for each violation.
Touches: nothing; reads the queue's table.$comment$;

create function queue._check_id(id text, meaning text)
returns void
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if id is null or length(id) not between 1 and 512 then
    perform queue._raise('OX004', format('invalid %s "%s"', meaning, coalesce(left(id, 40), 'null')), null,
      format('A %s is 1 to 512 characters.', meaning));
  end if;
end
$function$;

comment on function queue._check_id(text, text) is
$comment$Checks an identifier that a caller made up.
meaning: what it is, for the error.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._check_messages(messages jsonb[], headers jsonb[])
returns void
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_max_bytes constant integer := 16777216;
  v_size      integer;
begin
  if messages is null then
    perform queue._raise('OX004', 'messages are null', null, 'To send nothing, give an empty array.');
  end if;
  if cardinality(headers) <> cardinality(messages) then
    perform queue._raise(
      'OX004',
      format('%s headers for %s messages', cardinality(headers), cardinality(messages)),
      null,
      'Give an array of messages, and either no headers or one element a message.'
    );
  end if;
  if array_position(messages, null) is not null then
    perform queue._raise('OX004', 'message is null', null, 'For an empty message, send the JSON value null or {}.');
  end if;
  if exists (select from unnest(headers) as h where jsonb_typeof(h) <> 'object') then
    perform queue._raise('OX004', 'headers are not a JSON object', null, 'Give headers as {"name": value}, or null.');
  end if;

  select max(pg_column_size(i.message) + coalesce(pg_column_size(i.headers), 0))
  into v_size
  from unnest(messages, headers) as i (message, headers);
  if v_size > v_max_bytes then
    perform queue._raise(
      'OX008',
      format('message of %s bytes is too large', v_size),
      format('A message with its headers has at most %s bytes.', v_max_bytes),
      'Store what is large elsewhere, and send where it is.'
    );
  end if;
end
$function$;

comment on function queue._check_messages(jsonb[], jsonb[]) is
$comment$Refuses messages that cannot be sent, before anything is written.
headers: null, or one element a message.
Errors: OX004 invalid argument, OX008 too large.
Touches: nothing.$comment$;

create function queue._check_migration_rights()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_is_member boolean;
begin
  if not has_schema_privilege('queue', 'create') then
    perform queue._raise('OX006', format('role "%s" may not create tables in schema "queue"', current_user), null,
      'Call queue.migrate() as the owner of the schema, once after the installation and after each upgrade.');
  end if;

  -- Nothing tells directly that an extension script is running, but whatever one makes becomes a member.
  create domain queue._migration_probe as integer;
  select exists (
    select
    from pg_depend as d
    where d.classid = 'pg_type'::regclass
      and d.objid = to_regtype('queue._migration_probe')
      and d.deptype = 'e'
  ) into v_is_member;
  drop domain queue._migration_probe;

  if v_is_member then
    perform queue._raise('OX006', 'an extension script may not migrate schema "queue"',
      'The tables would belong to the extension, and pg_dump would leave out their rows.',
      'Call queue.migrate() after CREATE EXTENSION or ALTER EXTENSION, in a statement of its own.');
  end if;
end
$function$;

comment on function queue._check_migration_rights() is
$comment$Makes sure that the caller may create tables, and that they would be the caller's own.
Errors: OX006 not so.
Touches: a domain, made and dropped.$comment$;

create function queue._check_start(
  versions         integer[],
  idempotency_keys text[],
  retention_days   integer[],
  delay_seconds    numeric[]
)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_message text;
begin
  select
    case
      when i.version < 1 then format('invalid version %s: a version is 1 or more', i.version)
      when i.key = '' or length(i.key) > 512 then
        format('invalid idempotency key "%s": a key is 1 to 512 characters', left(i.key, 40))
      when i.days not between 0 and 36500 then
        format('invalid retention of %s days: it is between 0 and 36500', i.days)
      else format('invalid delay of %s seconds: it is between 0 and 3153600000', i.delay)
    end
  into v_message
  from unnest(versions, idempotency_keys, retention_days, delay_seconds) as i (version, key, days, delay)
  where i.version < 1
    or i.key = ''
    or length(i.key) > 512
    or i.days not between 0 and 36500
    or i.delay not between 0 and 3153600000
  limit 1;

  if found then
    perform queue._raise('OX004', v_message, null, 'Correct the value, and start the run again: nothing was written.');
  end if;
end
$function$;

comment on function queue._check_start(integer[], text[], integer[], numeric[]) is
$comment$Refuses arguments of a start that cannot be meant.
Errors: OX004 invalid argument, naming the first bad value.
Touches: nothing.$comment$;

create function queue._claim_runs(
  name      text,
  versions  integer[],
  max_runs  integer,
  claim_at  timestamptz,
  lease_end timestamptz
)
returns queue.claimed_runs
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_max_attempts constant integer := 10;
  v_table        constant regclass := queue._workflow_table(name);
  v_versions     integer[] := versions;
  v_claimed      queue.claimed_runs;
begin
  if v_versions is null then
    -- A jump from version to version through the index: as many steps as there are versions.
    execute format($sql$
      with recursive present (version) as (
        (select m.version from %1$s as m order by m.version limit 1)
        union all
        select (select m.version from %1$s as m where m.version > p.version order by m.version limit 1)
        from present as p
        where p.version is not null
      )
      select array_agg(p.version) from present as p where p.version is not null
    $sql$, v_table) into v_versions;
  end if;

  -- One index range a version, so that a backlog of a version that nobody serves is never walked through.
  execute format($sql$
    with due as materialized (
      select m.msg_id, m.receipt, m.receipt is null and m.settled_receipt is null as is_fresh
      from unnest($1) as v (version)
      cross join lateral (
        select t.msg_id, t.receipt, t.settled_receipt
        from %1$s as t
        where t.version = v.version
          and t.visible_at <= $2
        order by t.visible_at
        limit $3
        for no key update skip locked
      ) as m
      limit $3
    ),
    claimed as (
      update %1$s as m
      set receipt = queue._new_receipt(m.msg_id, m.receipt),
        visible_at = $4,
        read_ct = m.read_ct + 1
      from due
      where m.msg_id = due.msg_id
      returning m.msg_id, m.receipt, m.read_ct, m.message, due.is_fresh
    )
    select array_agg(c.msg_id), array_agg(c.receipt), array_agg(c.read_ct), array_agg(c.message),
      array_agg(c.is_fresh),
      array_agg(c.msg_id) filter (where c.read_ct > $5 or r.deadline <= $2)
    from claimed as c
    join queue.workflow_run as r on r.run_id = c.msg_id
  $sql$, v_table)
  into v_claimed
  using v_versions, claim_at, max_runs, lease_end, v_max_attempts;
  return v_claimed;
end
$function$;

comment on function queue._claim_runs(text, integer[], integer, timestamptz, timestamptz) is
$comment$Leases ready continuations of one workflow.
versions: those to take; null takes any. claim_at: the time to take as now.
Returns parallel arrays, null when nothing is ready.
Touches: continuations (locked with SKIP LOCKED).$comment$;

create function queue._clear_undeliverable(settings queue.queue_settings, receipts bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_retry_at constant timestamptz := clock_timestamp() + interval '100 milliseconds';
begin
  if (settings).dead_letter_queue is not null then
    perform queue._send_dead_letters(settings, receipts, v_retry_at);
  end if;
  perform queue._delete_messages(settings, receipts, v_retry_at);
end
$function$;

comment on function queue._clear_undeliverable(queue.queue_settings, bigint[]) is
$comment$Takes messages out of the way that a receive has leased but cannot deliver: dead letters go to the dead letter queue, tombstones go for good. What some open transaction is in the way of is tried again by a receive 100 ms later, so that nobody polls busily until then.
Touches: as _send_dead_letters() and _delete_messages().$comment$;

create function queue._create_queue_table(name text, kind text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table constant text := 'q_' || _create_queue_table.name;
begin
  case _create_queue_table.kind
    when 'standard' then
      execute format($sql$
        create table queue.%1$I (
          msg_id      bigint generated always as identity (sequence name queue.%2$I),
          visible_at  timestamptz not null,
          enqueued_at timestamptz not null,
          receipt     bigint,
          read_ct     integer not null default 0,
          message     jsonb not null,
          headers     jsonb,
          constraint %3$I primary key (msg_id)
        )
      $sql$, v_table, 'ids_of_' || v_table, 'pkey_of_' || v_table);
      execute format($sql$
        create index %1$I on queue.%2$I (visible_at, msg_id)
      $sql$, 'ready_of_' || v_table, v_table);

    when 'fifo' then
      execute format($sql$
        create table queue.%1$I (
          msg_id           bigint generated always as identity (sequence name queue.%2$I),
          visible_at       timestamptz not null,
          enqueued_at      timestamptz not null,
          receipt          bigint,
          read_ct          integer not null default 0,
          head             boolean not null,
          message_group_id text not null,
          message          jsonb,
          headers          jsonb,
          constraint %3$I primary key (msg_id),
          constraint only_a_tombstone_has_no_message check (message is not null or head)
        )
      $sql$, v_table, 'ids_of_' || v_table, 'pkey_of_' || v_table);
      execute format($sql$
        create index %1$I on queue.%2$I (visible_at, msg_id) where head
      $sql$, 'ready_of_' || v_table, v_table);
      execute format($sql$
        create unique index %1$I on queue.%2$I (message_group_id) where head
      $sql$, 'head_of_' || v_table, v_table);
      -- Only for finding who comes next: a head is in none of the entries, so that a claim does not touch it.
      execute format($sql$
        create index %1$I on queue.%2$I (message_group_id, msg_id) where not head
      $sql$, 'next_of_' || v_table, v_table);

    when 'workflow' then
      execute format($sql$
        create table queue.%1$I (
          msg_id          bigint not null,
          visible_at      timestamptz not null,
          enqueued_at     timestamptz not null,
          receipt         bigint,
          settled_receipt bigint,
          read_ct         integer not null default 0,
          version         integer not null,
          message         jsonb,
          headers         jsonb,
          constraint %2$I primary key (msg_id)
        )
      $sql$, v_table, 'pkey_of_' || v_table);
      execute format($sql$
        create index %1$I on queue.%2$I (version, visible_at)
      $sql$, 'ready_of_' || v_table, v_table);
  end case;

  -- Rows live for seconds and are written thrice: room for the next version on the page, and vacuum as soon as it
  -- pays. Statistics matter little, and an emptied table grows again.
  execute format($sql$
    alter table queue.%1$I set (
      fillfactor = 70, vacuum_truncate = off,
      autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0,
      autovacuum_analyze_scale_factor = 0, autovacuum_analyze_threshold = 100000,
      toast.vacuum_truncate = off, toast.autovacuum_vacuum_scale_factor = 0,
      toast.autovacuum_vacuum_threshold = 2000, toast.autovacuum_vacuum_cost_delay = 0
    )
  $sql$, v_table);
  execute format(
    'comment on table queue.%1$I is %2$L',
    v_table,
    format('Messages of the %s queue "%s". Use the functions of schema queue, never the table.',
      _create_queue_table.kind, _create_queue_table.name)
  );
end
$function$;

comment on function queue._create_queue_table(text, text) is
$comment$Makes the table of a queue: the only CREATE TABLE at run time.
kind: standard, fifo or workflow. A row is ready when receipt is null and visible_at has passed, delayed when receipt is null and visible_at is to come, in flight when it has a receipt and visible_at, the end of the lease, is to come, and receivable again after that. A fifo row with a null message is a tombstone: an acknowledged head whose successor is not promoted yet.
Touches: creates queue.q_<name> with its indexes, called ready_of_q_<name>, head_of_…, next_of_…, pkey_of_…, and its sequence ids_of_….$comment$;

create function queue._create_workflow_queue(name text)
returns regclass
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue    constant text := '__wf_' || _create_workflow_queue.name;
  v_settings queue.queue_settings;
begin
  if _create_workflow_queue.name !~ '^[a-z0-9][a-z0-9_-]{0,42}$' then
    perform queue._raise(
      'OX003',
      format('invalid workflow name "%s"', _create_workflow_queue.name),
      null,
      'A workflow name is 1 to 43 characters of a-z, 0-9, "_" and "-", and begins with a letter or a digit.'
    );
  end if;

  v_settings.name := v_queue;
  v_settings.kind := 'workflow';
  v_settings.visibility_timeout := 30;
  perform queue._register_queue(v_settings);
  return queue._workflow_table(_create_workflow_queue.name);
end
$function$;

comment on function queue._create_workflow_queue(text) is
$comment$Makes the queue of a workflow at its first start.
Returns the queue's table.
Errors: OX003 invalid workflow name.
Touches: as _register_queue(), which it calls.$comment$;

create function queue._deduplicate(queue text, deduplication_id text)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_msg_id bigint;
begin
  insert into queue.deduplication as d (queue_name, deduplication_id, expires_at, msg_id)
  values (_deduplicate.queue, _deduplicate.deduplication_id, v_now + interval '5 minutes', 0)
  on conflict on constraint deduplication_pkey do update
  set expires_at = excluded.expires_at
  where d.expires_at <= v_now;

  if not found then
    select d.msg_id
    into v_msg_id
    from queue.deduplication as d
    where d.queue_name = _deduplicate.queue
      and d.deduplication_id = _deduplicate.deduplication_id;
    return v_msg_id;
  end if;

  -- Two go for one that comes, so the table shrinks to the ids that count.
  with expired as materialized (
    select d.queue_name, d.deduplication_id
    from queue.deduplication as d
    where d.expires_at <= v_now
    order by d.expires_at
    limit 2
    for update skip locked
  )
  delete from queue.deduplication as d
  using expired
  where d.queue_name = expired.queue_name
    and d.deduplication_id = expired.deduplication_id;
  return null;
end
$function$;

comment on function queue._deduplicate(text, text) is
$comment$Looks for a message that was sent with this id in the last 5 minutes, and otherwise notes the id; the caller then notes the message. Of two transactions that come with one id at once, the second waits for the first.
Returns the message's id, null when there is none.
Touches: queue.deduplication: the id's row, and two expired ones.$comment$;

create function queue._delete_heads(queue text, receipts bigint[], retry_at timestamptz)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table       constant regclass := queue._queue_table(_delete_heads.queue);
  v_groups      text[];
  v_locked      text[];
  v_deleted     bigint[];
  v_is_promoted boolean;
begin
  execute format($sql$
    select array_agg(distinct m.message_group_id)
    from unnest($1) as i (receipt)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
  $sql$, v_table)
  into v_groups
  using receipts;
  if v_groups is null then
    return array[]::bigint[];
  end if;

  -- The locks come before the statement whose snapshot has to show all that was sent under them.
  v_locked := queue._try_lock_groups(_delete_heads.queue, v_groups);

  -- promoted reads from deleted, so that the old head has left the unique index when the next one enters it.
  execute format($sql$
    with deleted as (
      delete from %1$s as m
      using unnest($1) as i (receipt)
      where m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
        and m.message_group_id = any ($2)
      returning m.message_group_id, m.receipt
    ),
    promoted as (
      update %1$s as m
      set head = true
      from deleted
      cross join lateral (
        select waiting.msg_id
        from %1$s as waiting
        where waiting.message_group_id = deleted.message_group_id
          and not waiting.head
        order by waiting.msg_id
        limit 1
      ) as next
      where m.msg_id = next.msg_id
      returning m.msg_id
    )
    select array(select deleted.receipt from deleted), exists (select from promoted)
  $sql$, v_table)
  into v_deleted, v_is_promoted
  using receipts, v_locked;

  if cardinality(v_locked) < cardinality(v_groups) then
    execute format($sql$
      with buried as (
        update %1$s as m
        set receipt = queue._new_receipt(m.msg_id, m.receipt),
          visible_at = $3,
          message = null,
          headers = null
        from unnest($1) as i (receipt)
        where m.msg_id = queue._receipt_msg_id(i.receipt)
          and m.receipt = i.receipt
          and m.message_group_id <> all ($2)
        returning i.receipt
      )
      select $4 || array(select buried.receipt from buried)
    $sql$, v_table)
    into v_deleted
    using receipts, v_locked, retry_at, v_deleted;
  end if;

  if v_is_promoted then
    perform queue._wake('queue_' || _delete_heads.queue);
  end if;
  return v_deleted;
end
$function$;

comment on function queue._delete_heads(text, bigint[], timestamptz) is
$comment$Deletes heads of groups, and promotes the next message of each group in the same statement.
Where an open transaction holds the group, its messages are not visible yet, so that nobody can say who comes next. The head then becomes a tombstone, a head without a message, and the first receive that finds it after retry_at deletes it the same way. Nothing ever waits for the open transaction.
Returns the receipts that were alive.
Touches: advisory locks of the groups (without waiting), the queue's table: heads by receipt, then their successors.$comment$;

create function queue._delete_messages(
  settings queue.queue_settings,
  receipts bigint[],
  retry_at timestamptz
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_deleted bigint[];
begin
  if (settings).kind = 'fifo' then
    return queue._delete_heads((settings).name, receipts, retry_at);
  end if;

  execute format($sql$
    with deleted as (
      delete from %1$s as m
      using unnest($1) as i (receipt)
      where m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
      returning m.receipt
    )
    select coalesce(array_agg(d.receipt), '{}') from deleted as d
  $sql$, queue._queue_table((settings).name))
  into v_deleted
  using receipts;
  return v_deleted;
end
$function$;

comment on function queue._delete_messages(queue.queue_settings, bigint[], timestamptz) is
$comment$Deletes messages for good.
retry_at: see _delete_heads().
Returns the receipts that were alive.
Touches: the queue's table, rows by receipt; in a FIFO queue as _delete_heads().$comment$;

create function queue._deliver_signal(
  name         text,
  run_id       bigint,
  message      jsonb,
  wait         jsonb,
  payload      jsonb,
  delivered_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_journaled constant integer := (message ->> 'journaled')::integer + 1;
begin
  perform queue._journal_wait(run_id, v_journaled, wait, payload, delivered_at);

  -- The receipt goes too: its lease has ended, and whoever held it doesn't know this row of the journal.
  -- A settled receipt, even of nobody (0), says that the run has a journal.
  execute format($sql$
    update %1$s as m
    set message = $2 || jsonb_build_object('journaled', $3, 'waits', (
        select coalesce(jsonb_agg(w order by n), '[]')
        from jsonb_array_elements($2 -> 'waits') with ordinality as e (w, n)
        where w -> 'step' <> $4 -> 'step'
      )),
      visible_at = $5,
      receipt = null,
      settled_receipt = coalesce(m.settled_receipt, 0)
    where m.msg_id = $1
  $sql$, queue._workflow_table(name))
  using run_id, message, v_journaled, wait, delivered_at;

  perform queue._wake('queue___wf_' || name);
end
$function$;

comment on function queue._deliver_signal(text, bigint, jsonb, jsonb, jsonb, timestamptz) is
$comment$Journals the wait that a signal satisfies, and makes the run visible.
message: the run's continuation, which the caller has locked.
Touches: queue.workflow_step, the run's continuation.$comment$;

create function queue._duration(seconds numeric, meaning text)
returns interval
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- NaN counts as more than any number.
  if _duration.seconds is null or _duration.seconds not between 0 and 3153600000 then
    perform queue._raise('OX004', format('invalid %s of %s seconds', meaning, coalesce(seconds::text, 'null')), null,
      format('A %s is between 0 and 3153600000 seconds (100 years).', meaning));
  end if;
  return make_interval(secs => _duration.seconds::double precision);
end
$function$;

comment on function queue._duration(numeric, text) is
$comment$Checks a number of seconds that a caller gave.
meaning: what it is, for the error.
Returns the interval, to the microsecond.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._end_committed_runs(
  name         text,
  names        text[],
  run_ids      bigint[],
  receipts     bigint[],
  transitions  text[],
  results      jsonb[],
  held         boolean[],
  committed_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_run_ids  bigint[];
  v_statuses text[];
  v_outputs  jsonb[];
  v_errors   jsonb[];
  v_receipts bigint[];
begin
  select array_agg(i.run_id),
    array_agg(case i.transition when 'complete' then 'completed' else 'failed' end),
    array_agg(case when i.transition = 'complete' then i.result end),
    array_agg(case when i.transition = 'fail' then i.result end),
    array_agg(i.receipt)
  into v_run_ids, v_statuses, v_outputs, v_errors, v_receipts
  from unnest(names, run_ids, receipts, transitions, results, held)
    as i (name, run_id, receipt, transition, result, held)
  where i.held
    and i.name = _end_committed_runs.name
    and i.transition in ('complete', 'fail');

  if v_run_ids is not null then
    perform queue._end_runs(name, v_run_ids, v_statuses, v_outputs, v_errors, v_receipts, committed_at);
  end if;
end
$function$;

comment on function queue._end_committed_runs(text, text[], bigint[], bigint[], text[], jsonb[], boolean[], timestamptz) is
$comment$Ends the runs, of one workflow, that a commit completes or fails.
held: by position, whose leases are locked.
Touches: continuations, queue.workflow_run.$comment$;

create function queue._end_runs(
  name     text,
  run_ids  bigint[],
  statuses text[],
  outputs  jsonb[],
  errors   jsonb[],
  receipts bigint[],
  ended_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  execute format($sql$delete from %1$s as m where m.msg_id = any ($1)$sql$, queue._workflow_table(name))
  using run_ids;

  update queue.workflow_run as r
  set status = i.status::queue.workflow_status,
    output = i.output,
    error = i.error,
    completed_at = ended_at,
    expires_at = ended_at + make_interval(days => r.retention_days),
    ended_by = i.receipt
  from unnest(run_ids, statuses, outputs, errors, receipts) as i (run_id, status, output, error, receipt)
  where r.run_id = i.run_id;

  perform queue._wake_run_waiters(run_ids);
end
$function$;

comment on function queue._end_runs(text, bigint[], text[], jsonb[], jsonb[], bigint[], timestamptz) is
$comment$Ends running runs whose continuations the caller has locked: status, result, continuation gone, waiters woken.
receipts: of the commits that end them, null when it is not a worker's.
Touches: continuations, queue.workflow_run.$comment$;

create function queue._end_undeliverable_runs(name text, run_ids bigint[], ended_at timestamptz)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_errors jsonb[];
begin
  select array_agg(
    case
      when r.deadline <= ended_at then jsonb_build_object(
        'name', 'DeadlineExceeded',
        'code', 'DEADLINE_EXCEEDED',
        'message', format('run %s was still running at its deadline, %s', r.run_id, r.deadline)
      )
      else jsonb_build_object(
        'name', 'PoisonedRun',
        'code', 'POISONED_RUN',
        'message', format(
          'run %s was delivered 10 times without any progress: its workers crashed, or never answered', r.run_id)
      )
    end
    order by i.position
  )
  into v_errors
  from unnest(run_ids) with ordinality as i (run_id, position)
  join queue.workflow_run as r on r.run_id = i.run_id;

  perform queue._end_runs(
    name, run_ids, array_fill('failed'::text, array[cardinality(run_ids)]), null, v_errors, null, ended_at
  );
end
$function$;

comment on function queue._end_undeliverable_runs(text, bigint[], timestamptz) is
$comment$Fails runs that have just been claimed but are past their deadline, or have crashed their workers too often.
Touches: continuations, queue.workflow_run.$comment$;

create function queue._ensure_migrated()
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if to_regclass('queue.queue') is null then
    perform queue.migrate();
  end if;
end
$function$;

comment on function queue._ensure_migrated() is
$comment$Makes the tables at the first use. They are made at run time, so that they are no members of the extension and pg_dump keeps their rows.
Errors: those of migrate().
Touches: nothing, once the tables are there.$comment$;

create function queue._extend_leases(name text, receipts bigint[], lease_end timestamptz)
returns queue.extended_leases
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table    constant regclass := queue._workflow_table(name);
  v_extended queue.extended_leases;
begin
  if lease_end is not null then
    execute format($sql$
      with locked as materialized (
        select m.msg_id
        from unnest($1) as i (receipt)
        join %1$s as m
          on m.msg_id = queue._receipt_msg_id(i.receipt)
          and m.receipt = i.receipt
        order by m.msg_id
        for no key update of m
      )
      update %1$s as m
      set visible_at = greatest(m.visible_at, $2)
      from locked
      where m.msg_id = locked.msg_id
    $sql$, v_table)
    using receipts, lease_end;
  end if;

  execute format($sql$
    select coalesce(array_agg(m.receipt), '{}'),
      coalesce(array_agg(m.receipt) filter (where m.message -> 'waits' @> '[{"kind": "event"}]' and exists (
        select
        from queue.workflow_buffered_signal as b
        where b.run_id = m.msg_id
          and queue._first_matching_wait(m.message -> 'waits', b.event, b.payload) is not null
      )), '{}')
    from unnest($1) as i (receipt)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
  $sql$, v_table)
  into v_extended
  using receipts;
  return v_extended;
end
$function$;

comment on function queue._extend_leases(text, bigint[], timestamptz) is
$comment$Extends the leases of runs of one workflow.
lease_end: the new end; null leaves it. A lease is never shortened.
Returns the receipts that are alive.
Touches: continuations, locked in the order of run ids; reads queue.workflow_buffered_signal.$comment$;

create function queue._find_queue(name text, kind text default null)
returns queue.queue_settings
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue queue.queue_settings;
begin
  -- Before the registry is read, which is not there until the first queue is.
  perform queue._queue_table(_find_queue.name);

  select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at
  into v_queue
  from queue.queue as q
  where q.name = _find_queue.name;

  if not found then
    perform queue._raise_queue_not_found(_find_queue.name);
  elsif v_queue.kind = 'workflow' then
    perform queue._raise('OX007', format('queue "%s" belongs to a workflow', v_queue.name), null,
      'Use the functions of workflows: workflow_start(), workflow_signal(), workflow_cancel().');
  elsif v_queue.kind <> _find_queue.kind then
    perform queue._raise('OX007', format('queue "%s" is a %s queue', v_queue.name, v_queue.kind), null,
      case v_queue.kind
        when 'fifo' then 'Use send_fifo() and receive_fifo() with it.'
        else 'Use send() and receive() with it, or create a queue with fifo => true.'
      end);
  end if;
  return v_queue;
end
$function$;

comment on function queue._find_queue(text, text) is
$comment$Settings of a queue.
kind: the one that is needed, standard or fifo; null takes both.
Returns the queue's row of the registry.
Errors: OX001 no such queue, OX007 another kind of queue.
Touches: nothing; reads queue.queue.$comment$;

create function queue._first_matching_wait(waits jsonb, event text, payload jsonb)
returns jsonb
language sql
as $function$
  select w
  from pg_catalog.jsonb_array_elements(waits) with ordinality as e (w, n)
  where w ->> 'kind' = 'event'
    and w ->> 'event' = event
    and (not w ? 'match' or payload @> (w -> 'match'))
  order by n
  limit 1
$function$;

comment on function queue._first_matching_wait(jsonb, text, jsonb) is
$comment$The first of a continuation's event waits that a signal satisfies.
Returns null when there is none.
Touches: nothing.$comment$;

create function queue._group_lock_key(queue text, message_group_id text)
returns bigint
language sql
as $function$
  select pg_catalog.hashtextextended('oxbow:group:' operator(pg_catalog.||) queue, 0) operator(pg_catalog.#)
    (pg_catalog.hashtext(message_group_id) operator(pg_catalog.&) 2047)
$function$;

comment on function queue._group_lock_key(text, text) is
$comment$Key of the advisory lock that orders what happens to the head of a message group.
A queue has 2048 of them, so that one transaction with a hundred thousand groups does not exhaust the server's table of locks; groups that share one merely wait for each other now and then.
Returns the key.
Touches: nothing.$comment$;

create function queue._is_awaited(channel text)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_key constant bigint := queue._wake_key(channel);
begin
  if pg_try_advisory_lock(v_key) then
    perform pg_advisory_unlock(v_key);
    return false;
  end if;
  return true;
end
$function$;

comment on function queue._is_awaited(text) is
$comment$Tells whether a session waits for a channel: it then holds a shared advisory lock on the channel's key.
Two callers at the same instant may each take the other for a waiter; that costs a needless NOTIFY, nothing else.
Returns true when somebody waits.
Touches: an advisory lock, given back at once.$comment$;

create function queue._journal_json(
  step_name text,
  kind      text,
  attempts  integer,
  output    jsonb,
  error     jsonb
)
returns jsonb
language sql
as $function$
  select case
    when output is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'output', output)
    when error is not null then
      pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts, 'error', error)
    else pg_catalog.jsonb_build_object('name', step_name, 'kind', kind, 'attempts', attempts)
  end
$function$;

comment on function queue._journal_json(text, text, integer, jsonb, jsonb) is
$comment$A journal row as a replay reads it; output and error are absent where they are null.
Touches: nothing.$comment$;

create function queue._journal_wait(
  run_id       bigint,
  "position"   integer,
  wait         jsonb,
  payload      jsonb,
  completed_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  insert into queue.workflow_step (run_id, started_at, completed_at, position, attempts, step_name, kind, output)
  values (
    _journal_wait.run_id,
    coalesce((wait ->> 'since')::timestamptz, _journal_wait.completed_at),
    _journal_wait.completed_at,
    _journal_wait.position,
    1,
    wait ->> 'step',
    'wait',
    payload
  );
end
$function$;

comment on function queue._journal_wait(bigint, integer, jsonb, jsonb, timestamptz) is
$comment$Journals an event wait that has ended.
payload: of the signal; null when the wait timed out.
Touches: queue.workflow_step.$comment$;

create function queue._lease_interval(lease_seconds numeric)
returns interval
language plpgsql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if lease_seconds is null or lease_seconds <= 0 or lease_seconds > 43200 then
    perform queue._raise('OX004', format('invalid lease of %s seconds', coalesce(lease_seconds::text, 'null')), null,
      'A lease is longer than 0 and at most 43200 seconds (12 hours).');
  end if;
  return make_interval(secs => lease_seconds::double precision);
end
$function$;

comment on function queue._lease_interval(numeric) is
$comment$Checks the length of a lease.
Errors: OX004 invalid argument.
Touches: nothing.$comment$;

create function queue._lock_groups(queue text, message_group_ids text[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_advisory_xact_lock(k.key)
  from (
    select distinct queue._group_lock_key(_lock_groups.queue, g.message_group_id) as key
    from unnest(message_group_ids) as g (message_group_id)
    order by key
  ) as k;
end
$function$;

comment on function queue._lock_groups(text, text[]) is
$comment$Makes the caller's transaction the only one that may add to these groups or change their heads, until it ends. The order of commits is then the order of message ids.
Touches: the groups' advisory locks, in the order of their keys; waits.$comment$;

create function queue._lock_leases(
  name     text,
  names    text[],
  run_ids  bigint[],
  receipts bigint[],
  held     boolean[]
)
returns boolean[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_held boolean[];
begin
  if queue._workflow_table(name) is null then
    return held;
  end if;
  execute format($sql$
    with locked as materialized (
      select i.item
      from unnest($2, $3, $4) with ordinality as i (name, run_id, receipt, item)
      join %1$s as m
        on m.msg_id = i.run_id
        and m.receipt = i.receipt
      where i.name = $1
      order by m.msg_id
      for no key update of m
    )
    select array_agg(h.held or locked.item is not null order by h.item)
    from unnest($5) with ordinality as h (held, item)
    left join locked on locked.item = h.item
  $sql$, queue._workflow_table(name))
  into v_held
  using name, names, run_ids, receipts, held;
  return v_held;
end
$function$;

comment on function queue._lock_leases(text, text[], bigint[], bigint[], boolean[]) is
$comment$Locks the continuations, of one workflow, whose receipts are alive, in the order of run ids.
held: by position, those locked so far.
Returns held with this workflow's added.
Touches: continuations.$comment$;

create function queue._lock_queue(name text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set lock_timeout = '2s'
as $function$
begin
  execute format('lock table %1$s in access exclusive mode', queue._queue_table(_lock_queue.name));
exception
  when lock_not_available then
    perform queue._raise(
      'OX009',
      format('queue "%s" is in use by an open transaction', _lock_queue.name),
      'Nobody can use the queue while this waits, so it gives up after 2 seconds.',
      'Try again when that transaction has ended; pg_locks and pg_stat_activity show whose it is.'
    );
end
$function$;

comment on function queue._lock_queue(text) is
$comment$Locks a whole queue against everybody, until the caller's transaction ends.
Errors: OX001 no such queue, OX009 an open transaction has used the queue for longer than 2 seconds.
Touches: the queue's table (exclusively; waits).$comment$;

create function queue._move_continuations(
  name        text,
  names       text[],
  run_ids     bigint[],
  transitions text[],
  results     jsonb[],
  resume_at   timestamptz[],
  held        boolean[],
  resolved    jsonb,
  committed_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if not exists (
    select
    from unnest(transitions, results) as i (transition, result)
    where i.transition in ('suspend', 'release')
      or i.transition = 'keep' and i.result is not null
  ) then
    return;
  end if;

  execute format($sql$
    with moved as (
      select i.run_id,
        case when $8 ? i.item::text then 'keep' else i.transition end as transition,
        coalesce($8 -> i.item::text -> 'continuation', i.result) as continuation,
        least(coalesce(i.resume_at, 'infinity'), r.deadline) as resume_at
      from unnest($2, $3, $4, $5, $6, $7) with ordinality
        as i (name, run_id, transition, result, resume_at, held, item)
      join queue.workflow_run as r on r.run_id = i.run_id
      where i.held
        and i.name = $1
        and (i.transition in ('suspend', 'release') or i.transition = 'keep' and i.result is not null)
    )
    update %1$s as m
    set message = case
        when moved.continuation is null or moved.transition = 'keep' and moved.continuation = '{}' then m.message
        else moved.continuation
      end,
      receipt = case when moved.transition = 'keep' then m.receipt end,
      settled_receipt = case when moved.transition = 'keep' then m.settled_receipt else m.receipt end,
      visible_at = case moved.transition
        when 'keep' then m.visible_at
        when 'suspend' then moved.resume_at
        else $9
      end,
      read_ct = case moved.transition when 'keep' then 1 when 'suspend' then 0 else greatest(m.read_ct - 1, 0) end
    from moved
    where m.msg_id = moved.run_id
  $sql$, queue._workflow_table(name))
  using name, names, run_ids, transitions, results, resume_at, held, resolved, committed_at;
end
$function$;

comment on function queue._move_continuations(text, text[], bigint[], text[], jsonb[], timestamptz[], boolean[], jsonb, timestamptz) is
$comment$Writes the continuations, of one workflow, that a commit changes but does not end. A run one of whose waits was resolved keeps its lease; one with a deadline is visible by then.
held: by position, whose leases are locked. resolved: from _resolve_waits().
Touches: continuations; reads queue.workflow_run.$comment$;

create function queue._new_receipt(msg_id bigint, previous bigint)
returns bigint
language sql
as $function$
  select (msg_id operator(pg_catalog.<<) 20) operator(pg_catalog.|) (
    (
      (coalesce(previous, 0) operator(pg_catalog.&) 1048575)
      operator(pg_catalog.+) 1
      operator(pg_catalog.+) pg_catalog.floor(pg_catalog.random() operator(pg_catalog.*) 1048575)::bigint
    ) operator(pg_catalog.&) 1048575
  )
$function$;

comment on function queue._new_receipt(bigint, bigint) is
$comment$Makes the receipt of a delivery: the message's id, and below it 20 bits drawn anew, so that a write finds its row by primary key and then compares the whole receipt. Inlined where it is used.
previous: the row's receipt so far. The bits always differ from it; an older receipt of the same message comes back with one chance in 1,048,575 a delivery, and a counter's certain repetition after a crash cannot happen.
Returns the receipt. A msg_id fits in 43 bits: a thousand messages a millisecond for 278 years.
Touches: nothing.$comment$;

create function queue._queue_table(name text)
returns regclass
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table constant regclass := to_regclass(format('queue.%I', 'q_' || coalesce(_queue_table.name, '')));
begin
  if v_table is null then
    perform queue._raise_queue_not_found(_queue_table.name);
  end if;
  return v_table;
end
$function$;

comment on function queue._queue_table(text) is
$comment$The table of a queue's messages, found in the catalog's cache without reading a table.
Returns the table.
Errors: OX001 no such queue.
Touches: nothing.$comment$;

create function queue._raise(code text, message text, detail text default null, hint text default null)
returns void
language plpgsql
volatile
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- An option of RAISE may not be null.
  if _raise.detail is null and _raise.hint is null then
    raise exception using errcode = _raise.code, message = _raise.message;
  elsif _raise.detail is null then
    raise exception using errcode = _raise.code, message = _raise.message, hint = _raise.hint;
  elsif _raise.hint is null then
    raise exception using errcode = _raise.code, message = _raise.message, detail = _raise.detail;
  end if;
  raise exception using errcode = _raise.code, message = _raise.message, detail = _raise.detail, hint = _raise.hint;
end
$function$;

comment on function queue._raise(text, text, text, text) is
$comment$Raises an error of Oxbow: the only RAISE.
code: OX001 queue not found, OX002 queue exists with other settings, OX003 invalid name, OX004 invalid argument, OX005 run not found, OX006 not installed, OX007 wrong kind of queue, OX008 payload too large, OX009 queue in use, OX010 idempotency conflict. message: a short fact with the offending value in quotes. detail: the numbers. hint: a sentence that says what to do.
Errors: always.
Touches: nothing.$comment$;

create function queue._raise_queue_not_found(name text)
returns void
language plpgsql
volatile
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._raise(
    'OX001',
    format('queue "%s" does not exist', coalesce(_raise_queue_not_found.name, 'null')),
    null,
    'Create it with queue.create_queue(), or see queue.list_queues() for those that exist.'
  );
end
$function$;

comment on function queue._raise_queue_not_found(text) is
$comment$Says that there is no such queue.
Errors: OX001, always.
Touches: nothing.$comment$;

create function queue._raise_run_not_found(run_id bigint)
returns void
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform queue._raise('OX005', format('run %s does not exist', coalesce(run_id::text, 'null')), null,
    'Check the run id; an ended run is deleted when its retention is over.');
end
$function$;

comment on function queue._raise_run_not_found(bigint) is
$comment$Raises OX005 for a run id.
Errors: OX005 no such run.
Touches: nothing.$comment$;

create function queue._receipt_msg_id(receipt bigint)
returns bigint
language sql
as $function$
  select receipt operator(pg_catalog.>>) 20
$function$;

comment on function queue._receipt_msg_id(bigint) is
$comment$The message that a receipt belongs to. Inlined, so that it serves as an index condition.
Returns the msg_id.
Touches: nothing.$comment$;

create function queue._receive(
  settings           queue.queue_settings,
  max_messages       integer,
  visibility_timeout integer,
  matching           jsonb
)
returns queue.delivery[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
set enable_bitmapscan = off
set enable_sort = off
as $function$
declare
  v_now          constant timestamptz := clock_timestamp();
  v_lease_end    constant timestamptz := v_now + queue._duration(
    coalesce(_receive.visibility_timeout, (_receive.settings).visibility_timeout), 'visibility timeout'
  );
  v_is_fifo      constant boolean := (_receive.settings).kind = 'fifo';
  v_max_receives constant integer := coalesce((_receive.settings).max_receives, 2147483646);
  v_claim        constant text := format($sql$
    with ready as materialized (
      select m.msg_id, m.visible_at
      from %1$s as m
      where %2$s
        and m.visible_at <= $1
        and ($2 is null or m.message is null or m.message @> $2)
      order by m.visible_at, m.msg_id
      limit $3
      for no key update skip locked
    ),
    claimed as (
      update %1$s as m
      set receipt = queue._new_receipt(m.msg_id, m.receipt),
        visible_at = $4,
        read_ct = m.read_ct + 1
      from ready
      where m.msg_id = ready.msg_id
      returning ready.visible_at as ready_at, m.message is null or m.read_ct > $5 as is_undeliverable,
        row(
          m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, %3$s, m.message, m.headers
        )::queue.delivery as delivery
    )
    select
      array_agg(c.delivery order by c.ready_at, (c.delivery).msg_id) filter (where not c.is_undeliverable),
      array_agg((c.delivery).receipt) filter (where c.is_undeliverable)
    from claimed as c
  $sql$,
    queue._queue_table((_receive.settings).name),
    case when v_is_fifo then 'm.head' else 'true' end,
    case when v_is_fifo then 'm.message_group_id' else 'null' end
  );
  v_deliveries    queue.delivery[] := array[]::queue.delivery[];
  v_claimed       queue.delivery[];
  v_undeliverable bigint[];
begin
  if max_messages is null or max_messages not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Receive between 1 and 10000 messages at a time.');
  end if;

  -- Whoever finds dead letters or tombstones where messages were expected clears them away and looks again.
  for v_round in 1 .. 100 loop
    execute v_claim
    into v_claimed, v_undeliverable
    using v_now, matching, max_messages - cardinality(v_deliveries), v_lease_end, v_max_receives;

    v_deliveries := v_deliveries || v_claimed;
    exit when v_undeliverable is null;
    perform queue._clear_undeliverable(_receive.settings, v_undeliverable);
    exit when cardinality(v_deliveries) = max_messages;
  end loop;
  return v_deliveries;
end
$function$;

comment on function queue._receive(queue.queue_settings, integer, integer, jsonb) is
$comment$Leases ready messages; of a FIFO queue, heads of groups only. Messages that were delivered max_receives times move to the dead letter queue instead.
visibility_timeout: null means the queue's. matching: null takes any.
The planner has no choice but the order of the ready index: statistics of a queue are always out of date, and every other plan reads all that waits.
Returns the deliveries, oldest first; an empty array when nothing is ready, or when a hundred rounds found dead letters only.
Errors: OX004 invalid argument.
Touches: the queue's table, rows of the ready index (locked with SKIP LOCKED); see _clear_undeliverable() for dead letters.$comment$;

create function queue._register_queue(settings queue.queue_settings)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_differences text;
begin
  if _register_queue.settings.name is null or _register_queue.settings.name !~ '^[a-z0-9_][a-z0-9_-]{0,47}$' then
    perform queue._raise(
      'OX003',
      format('invalid queue name "%s"', coalesce(left(_register_queue.settings.name, 100), 'null')),
      null,
      'A queue name is 1 to 48 characters of a-z, 0-9, "_" and "-", and does not begin with "-".'
    );
  end if;

  -- Two first calls at once: the second waits here, and finds the queue.
  perform pg_advisory_xact_lock(hashtextextended('oxbow:create:' || _register_queue.settings.name, 0));

  select concat_ws(
    ', ',
    case when q.kind <> n.kind then format('it is a %s queue, not %s', q.kind, n.kind) end,
    case when q.visibility_timeout <> n.visibility_timeout then
      format('visibility_timeout is %s, not %s', q.visibility_timeout, n.visibility_timeout) end,
    case when q.max_receives is distinct from n.max_receives then
      format('max_receives is %s, not %s',
        coalesce(q.max_receives::text, 'null'), coalesce(n.max_receives::text, 'null')) end,
    case when q.dead_letter_queue is distinct from n.dead_letter_queue then
      format('dead_letter_queue is %s, not %s',
        coalesce(quote_ident(q.dead_letter_queue), 'null'), coalesce(quote_ident(n.dead_letter_queue), 'null')) end
  )
  into v_differences
  from queue.queue as q
  cross join (select (_register_queue.settings).*) as n
  where q.name = n.name;

  if not found then
    insert into queue.queue (name, kind, visibility_timeout, max_receives, dead_letter_queue)
    values (
      _register_queue.settings.name, _register_queue.settings.kind, _register_queue.settings.visibility_timeout,
      _register_queue.settings.max_receives, _register_queue.settings.dead_letter_queue
    );
    perform queue._create_queue_table(_register_queue.settings.name, _register_queue.settings.kind);
    return true;
  elsif v_differences <> '' then
    perform queue._raise(
      'OX002',
      format('queue "%s" exists with other settings: %s', _register_queue.settings.name, v_differences),
      null,
      'Call create_queue() with the settings that the queue has, choose another name, or drop the queue first.'
    );
  end if;
  return false;
end
$function$;

comment on function queue._register_queue(queue.queue_settings) is
$comment$Makes a queue, unless it is there.
settings: created_at is not looked at; a name may begin with "__", Oxbow's own prefix.
Returns true when it made the queue, false when the queue was there with these settings.
Errors: OX002 queue exists with other settings, OX003 invalid name.
Touches: a transaction's advisory lock on the name; queue.queue; creates queue.q_<name>.$comment$;

create function queue._resolve_waits(
  run_ids      bigint[],
  transitions  text[],
  results      jsonb[],
  held         boolean[],
  committed_at timestamptz
)
returns jsonb
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_item     record;
  v_answer   jsonb;
  v_resolved jsonb := jsonb_build_object();
begin
  -- One run after the other, since each wait takes a signal that the next one then can't have; only runs that
  -- have a signal in store, a wait past its deadline, or a wait that is journaled already (a repeated commit).
  for v_item in
    select i.item, i.run_id, i.result
    from unnest(run_ids, transitions, results, held) with ordinality
      as i (run_id, transition, result, held, item)
    where i.held
      and i.transition in ('keep', 'suspend')
      and i.result -> 'waits' @> '[{"kind": "event"}]'
      and (
        i.result -> 'waits' @> '[{"expired": true}]'
        or exists (select from queue.workflow_buffered_signal as b where b.run_id = i.run_id)
        or exists (
          select
          from jsonb_array_elements(i.result -> 'waits') as w
          join queue.workflow_step as s
            on s.run_id = i.run_id
            and s.step_name = w ->> 'step'
        )
      )
  loop
    v_answer := queue._take_signals(v_item.run_id, v_item.result, committed_at);
    if v_answer is not null then
      v_resolved := v_resolved || jsonb_build_object(v_item.item::text, v_answer);
    end if;
  end loop;
  return v_resolved;
end
$function$;

comment on function queue._resolve_waits(bigint[], text[], jsonb[], boolean[], timestamptz) is
$comment$Lets the event waits of a commit take buffered signals, or time out.
Returns an object: by the run's position in the commit, what _take_signals() answered for it.
Touches: queue.workflow_step, queue.workflow_buffered_signal.$comment$;

create function queue._send_dead_letters(
  settings queue.queue_settings,
  receipts bigint[],
  retry_at timestamptz
)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_table    constant regclass := queue._queue_table((settings).name);
  v_is_fifo  constant boolean := (settings).kind = 'fifo';
  v_target   constant queue.queue_settings := queue._find_queue((settings).dead_letter_queue);
  v_groups   text[];
  v_messages jsonb[];
  v_headers  jsonb[];
begin
  if v_target.kind = 'fifo' then
    execute format($sql$
      select array_agg(distinct m.message_group_id)
      from unnest($1) as i (receipt)
      join %1$s as m
        on m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
      where m.message is not null
    $sql$, v_table)
    into v_groups
    using receipts;

    -- Given back, under a receipt that nobody knows: a receive never waits for somebody's open transaction.
    execute format($sql$
      update %1$s as m
      set receipt = queue._new_receipt(m.msg_id, m.receipt),
        visible_at = $3,
        read_ct = m.read_ct - 1
      from unnest($1) as i (receipt)
      where m.msg_id = queue._receipt_msg_id(i.receipt)
        and m.receipt = i.receipt
        and m.message is not null
        and m.message_group_id <> all ($2)
    $sql$, v_table)
    using receipts, queue._try_lock_groups(v_target.name, v_groups), retry_at;
  end if;

  execute format($sql$
    select array_agg(m.message order by m.msg_id), array_agg(%2$s order by m.msg_id),
      array_agg(
        coalesce(m.headers, '{}') || jsonb_build_object('dead_letter', jsonb_strip_nulls(jsonb_build_object(
          'queue', $2,
          'reason', 'max_receives',
          'receives', m.read_ct - 1,
          'msg_id', m.msg_id,
          'message_group_id', %2$s,
          'first_enqueued_at', m.enqueued_at,
          'dead_lettered_at', $3,
          'previous', m.headers -> 'dead_letter'
        )))
        order by m.msg_id
      )
    from unnest($1) as i (receipt)
    join %1$s as m
      on m.msg_id = queue._receipt_msg_id(i.receipt)
      and m.receipt = i.receipt
    where m.message is not null
  $sql$, v_table, case when v_is_fifo then 'm.message_group_id' else 'null::text' end)
  into v_messages, v_groups, v_headers
  using receipts, (settings).name, v_now;

  if v_messages is null then
    return;
  elsif v_target.kind = 'fifo' then
    perform queue._send_fifo(v_target.name, v_messages, v_groups, '0', v_headers);
  else
    perform queue.send_batch(v_target.name, v_messages, 0, v_headers);
  end if;
end
$function$;

comment on function queue._send_dead_letters(queue.queue_settings, bigint[], timestamptz) is
$comment$Copies messages to their dead letter queue; the caller deletes the originals.
receipts: leases that the caller has just taken; tombstones among them are skipped. retry_at: when to look again at messages whose group in a FIFO dead letter queue is held by an open transaction; these get another receipt.
Touches: the queue's table (rows that the caller has locked), advisory locks of groups of the dead letter queue (without waiting), the dead letter queue's table.$comment$;

create function queue._send_fifo(
  queue             text,
  messages          jsonb[],
  message_group_ids text[],
  delay             interval,
  headers           jsonb[]
)
returns bigint[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table      constant regclass := queue._queue_table(_send_fifo.queue);
  v_is_current constant boolean := current_setting('transaction_isolation') = 'read committed';
  v_now        timestamptz;
  v_msg_ids    bigint[];
begin
  perform queue._lock_groups(_send_fifo.queue, message_group_ids);
  v_now := clock_timestamp();

  -- A snapshot older than the lock may show a head that has gone, or miss one: then these fail with a
  -- serialization failure, and nothing is sent in the wrong place.
  if not v_is_current then
    execute format($sql$
      select
      from %1$s as m
      where m.message_group_id = any ($1)
        and m.head
      for key share
    $sql$, v_table)
    using message_group_ids;
  end if;

  execute format($sql$
    with inserted as (
      insert into %1$s as m (visible_at, enqueued_at, head, message_group_id, message, headers)
      select $1 + $2, $1,
        row_number() over (partition by i.message_group_id order by i.position) = 1
          and not exists (select from %1$s as h where h.message_group_id = i.message_group_id and h.head),
        i.message_group_id, i.message, i.headers
      from unnest($3, $4, $5) with ordinality as i (message, message_group_id, headers, position)
      order by i.position
      %2$s
      returning m.msg_id
    )
    select array_agg(inserted.msg_id) from inserted
  $sql$, v_table, case when not v_is_current then 'on conflict (message_group_id) where head do nothing' end)
  into v_msg_ids
  using v_now, delay, messages, message_group_ids, headers;

  perform queue._wake('queue_' || _send_fifo.queue);
  return v_msg_ids;
end
$function$;

comment on function queue._send_fifo(text, jsonb[], text[], interval, jsonb[]) is
$comment$Appends messages to their groups.
Every array has one element a message; headers may be null.
Returns the message ids, in order.
Errors: 40001 in a repeatable read transaction, when a group has changed since it began.
Touches: the groups' advisory locks (waits), the queue's table; NOTIFY only where somebody waits.$comment$;

create function queue._served_versions(versions jsonb, name text)
returns integer[]
language sql
as $function$
  select array(select v::integer from pg_catalog.jsonb_array_elements_text(versions -> name) as v)
  where pg_catalog.jsonb_typeof(versions -> name) = 'array'
$function$;

comment on function queue._served_versions(jsonb, text) is
$comment$The versions of a workflow that a worker takes, from the argument of workflow_receive().
Returns null when it takes any.
Touches: nothing.$comment$;

create function queue._take_signals(run_id bigint, continuation jsonb, taken_at timestamptz)
returns jsonb
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_wait      jsonb;
  v_payload   jsonb;
  v_journaled integer;
  v_open      jsonb := jsonb_build_array();
  v_ended     text[] := array[]::text[];
  v_resolved  jsonb;
begin
  -- Of the journal itself: a commit that is repeated after a lost answer doesn't know what it journaled then.
  select coalesce(max(s.position), 0) into v_journaled
  from queue.workflow_step as s
  where s.run_id = _take_signals.run_id;

  for v_wait in select w from jsonb_array_elements(continuation -> 'waits') with ordinality as e (w, n) order by n loop
    if v_wait ->> 'kind' <> 'event' then
      v_open := v_open || v_wait;
      continue;
    end if;

    perform
    from queue.workflow_step as s
    where s.run_id = _take_signals.run_id
      and s.step_name = v_wait ->> 'step';
    if not found then
      delete from queue.workflow_buffered_signal as b
      where b.run_id = _take_signals.run_id
        and b.signal_id = (
          select c.signal_id
          from queue.workflow_buffered_signal as c
          where c.run_id = _take_signals.run_id
            and c.event = v_wait ->> 'event'
            and (not v_wait ? 'match' or c.payload @> (v_wait -> 'match'))
          order by c.signal_id
          limit 1
        )
      returning b.payload into v_payload;
      if not found and not coalesce((v_wait ->> 'expired')::boolean, false) then
        v_open := v_open || v_wait;
        continue;
      end if;
      v_journaled := v_journaled + 1;
      perform queue._journal_wait(run_id, v_journaled, v_wait, v_payload, taken_at);
    end if;

    v_ended := v_ended || (v_wait ->> 'step');
  end loop;

  if v_ended = array[]::text[] then
    return null;
  end if;
  select jsonb_agg(
    case
      when s.output is null then jsonb_build_object('step', s.step_name)
      else jsonb_build_object('step', s.step_name, 'payload', s.output)
    end
    order by s.position
  )
  into v_resolved
  from queue.workflow_step as s
  where s.run_id = _take_signals.run_id
    and s.step_name = any (v_ended);
  return jsonb_build_object(
    'resolved', v_resolved,
    'continuation', continuation || jsonb_build_object('waits', v_open, 'journaled', v_journaled)
  );
end
$function$;

comment on function queue._take_signals(bigint, jsonb, timestamptz) is
$comment$Lets the event waits of one run, in their order, each take the earliest buffered signal that it matches; one that carries "expired": true and finds none times out.
continuation: of a run whose continuation the caller has locked.
Returns null when nothing was resolved, else {"resolved": [… in the order of the journal], "continuation": <what is still waited for>}.
Touches: queue.workflow_buffered_signal, queue.workflow_step.$comment$;

create function queue._try_lock_groups(queue text, message_group_ids text[])
returns text[]
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- A snapshot older than the lock does not show what was sent before it.
  if current_setting('transaction_isolation') <> 'read committed' then
    return array[]::text[];
  end if;

  return array(
    select g.message_group_id
    from unnest(message_group_ids) as g (message_group_id)
    where pg_try_advisory_xact_lock(queue._group_lock_key(_try_lock_groups.queue, g.message_group_id))
  );
end
$function$;

comment on function queue._try_lock_groups(text, text[]) is
$comment$As _lock_groups(), for those who must not wait.
Returns those of the groups whose lock is held; none in a repeatable read transaction, whose snapshot would be older than the lock.
Touches: the groups' advisory locks; never waits.$comment$;

create function queue._unheld_outcome(name text, run_id bigint, receipt bigint)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_status   text;
  v_ended_by bigint;
  v_settled  boolean := false;
begin
  select r.status::text, r.ended_by
  into v_status, v_ended_by
  from queue.workflow_run as r
  where r.run_id = _unheld_outcome.run_id;

  if v_status = 'running' and queue._workflow_table(name) is not null then
    execute format($sql$
      select exists (select from %1$s as m where m.msg_id = $1 and m.settled_receipt = $2)
    $sql$, queue._workflow_table(name))
    into v_settled
    using run_id, receipt;
  end if;

  return case
    when v_settled or v_ended_by = receipt then 'ok'
    when v_status = 'cancelled' then 'cancelled'
    else 'lost'
  end;
end
$function$;

comment on function queue._unheld_outcome(text, bigint, bigint) is
$comment$What to answer to a worker whose receipt is dead.
Returns ok when that receipt has made the last transition of the run already (its answer was lost on the way), cancelled, or lost.
Touches: nothing; reads the run and its continuation.$comment$;

create function queue._wake(channel text, payload text default '')
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  -- NOTIFY serializes all notifying commits of the cluster, so it is kept for when somebody waits.
  if queue._is_awaited(_wake.channel) then
    perform pg_notify(_wake.channel, _wake.payload);
  end if;
end
$function$;

comment on function queue._wake(text, text) is
$comment$Tells those who wait for a channel that there may be something for them. Only a hint: a session that begins to wait while the caller's transaction is open gets none, and finds the work at its next poll.
Touches: an advisory lock, given back at once; NOTIFY only where somebody waits.$comment$;

create function queue._wake_key(channel text)
returns bigint
language sql
as $function$
  select pg_catalog.hashtextextended('oxbow:' operator(pg_catalog.||) channel, 0)
$function$;

comment on function queue._wake_key(text) is
$comment$Key of the advisory lock that a session which waits for a channel holds in shared mode, so that senders see it.
channel: as listened to; that of a queue is queue_<name>.
Returns the key.
Touches: nothing.$comment$;

create function queue._wake_run_waiters(run_ids bigint[])
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  perform pg_notify('workflow_ended', i.run_id::text)
  from unnest(run_ids) as i (run_id)
  where queue._is_awaited('workflow_run_' || i.run_id);
end
$function$;

comment on function queue._wake_run_waiters(bigint[]) is
$comment$Tells those who wait for the end of a run. They listen on workflow_ended, and hold a shared advisory lock on the key of workflow_run_<run_id>.
Touches: advisory locks, given back at once; NOTIFY only for runs that somebody waits for.$comment$;

create function queue._workflow_table(name text)
returns regclass
language sql
as $function$
  select pg_catalog.to_regclass(pg_catalog.format('queue.%I', 'q___wf_' || name))
$function$;

comment on function queue._workflow_table(text) is
$comment$The table of a workflow's continuations.
Returns null when no run of the workflow was ever started.
Touches: nothing.$comment$;

create function queue.change_visibility(queue text, receipt bigint, visibility_timeout numeric)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now        constant timestamptz := clock_timestamp();
  v_queue      constant queue.queue_settings := queue._find_queue(change_visibility.queue);
  v_visible_at constant timestamptz :=
    v_now + queue._duration(change_visibility.visibility_timeout, 'visibility timeout');
  v_is_sooner  boolean;
begin
  execute format($sql$
    with held as materialized (
      select m.msg_id, m.visible_at
      from %1$s as m
      where m.msg_id = queue._receipt_msg_id($1)
        and m.receipt = $1
      for no key update
    )
    update %1$s as m
    set visible_at = $2
    from held
    where m.msg_id = held.msg_id
    returning $2 < held.visible_at
  $sql$, queue._queue_table(v_queue.name))
  into v_is_sooner
  using change_visibility.receipt, v_visible_at;

  if v_is_sooner then
    perform queue._wake('queue_' || v_queue.name);
  end if;
  return v_is_sooner is not null;
end
$function$;

comment on function queue.change_visibility(text, bigint, numeric) is
$comment$Sets when a received message becomes visible again.
visibility_timeout: seconds from now, with fractions; 0 gives the message back at once.
Returns true; false when the receipt is dead: the message was deleted, or somebody has received it again.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow.
Touches: the queue's table, the row by receipt; NOTIFY only where somebody waits.$comment$;

create function queue.create_queue(
  name               text,
  fifo               boolean default false,
  visibility_timeout integer default 30,
  max_receives       integer default null,
  dead_letter_queue  text default null
)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_kind             constant text := case when create_queue.fifo then 'fifo' else 'standard' end;
  v_dead_letter_kind text;
begin
  perform queue._ensure_migrated();

  if starts_with(create_queue.name, '__') then
    perform queue._raise('OX003', format('invalid queue name "%s"', left(create_queue.name, 100)), null,
      'Names that begin with "__" are Oxbow''s own: choose another.');
  end if;
  perform queue._duration(create_queue.visibility_timeout, 'visibility timeout');
  if create_queue.max_receives < 1 then
    perform queue._raise('OX004', format('invalid max_receives %s', create_queue.max_receives), null,
      'A message is delivered at least once before it moves to the dead letter queue.');
  end if;
  if (create_queue.max_receives is null) <> (create_queue.dead_letter_queue is null) then
    perform queue._raise('OX004', 'max_receives and dead_letter_queue go together', null,
      'Give both, and create the dead letter queue first; or neither.');
  end if;
  if create_queue.dead_letter_queue = create_queue.name then
    perform queue._raise('OX004', format('queue "%s" cannot be its own dead letter queue', create_queue.name), null,
      'Create another queue for the dead letters.');
  end if;
  if create_queue.dead_letter_queue is not null then
    v_dead_letter_kind := (queue._find_queue(create_queue.dead_letter_queue)).kind;
    if v_kind = 'standard' and v_dead_letter_kind = 'fifo' then
      perform queue._raise('OX007', format('queue "%s" is a fifo queue', create_queue.dead_letter_queue), null,
        'Dead letters of a standard queue have no message group: create a standard queue for them.');
    end if;
  end if;

  return queue._register_queue(row(
    create_queue.name, v_kind, create_queue.visibility_timeout, create_queue.max_receives,
    create_queue.dead_letter_queue, null
  ));
end
$function$;

comment on function queue.create_queue(text, boolean, integer, integer, text) is
$comment$Creates a queue, unless it is there with the same settings.
name: 1 to 48 characters of a-z, 0-9, "_" and "-". fifo: keep the order of messages within a message group. visibility_timeout: seconds for which a received message is in flight, where receive() is not told otherwise. max_receives, dead_letter_queue: a message that was received that often moves there instead of being received again; given together, and the dead letter queue exists already.
Returns true when the queue was created, false when it was there.
Errors: OX001 no such dead letter queue, OX002 queue exists with other settings, OX003 invalid name, OX004 invalid argument, OX007 the dead letter queue of a standard queue is a FIFO queue or a workflow's.
Touches: a transaction's advisory lock on the name; queue.queue; creates queue.q_<name>; all of Oxbow's tables at the very first call.$comment$;

create function queue.delete(queue text, receipt bigint)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return exists (select from queue.delete_batch(delete.queue, array[delete.receipt]));
end
$function$;

comment on function queue.delete(text, bigint) is
$comment$Acknowledges a delivery, so that the message is never delivered again. In a FIFO queue the next message of the group becomes receivable.
Returns true; false when the receipt is dead: the message was deleted, or somebody has received it again. A receipt whose visibility timeout has ended is alive until then.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: as delete_batch().$comment$;

create function queue.delete_batch(queue text, receipts bigint[])
returns setof bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_queue constant queue.queue_settings := queue._find_queue(delete_batch.queue);
begin
  return query
    select d.receipt
    from unnest(queue._delete_messages(v_queue, delete_batch.receipts, v_now)) as d (receipt);
end
$function$;

comment on function queue.delete_batch(text, bigint[]) is
$comment$Acknowledges deliveries, so that they are never delivered again. In a FIFO queue the next message of each group becomes receivable.
receipts: as returned by receive() or receive_fifo(); a dead one (deleted already, or somebody has received the message again) is skipped.
Returns the receipts that were alive, in no order.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: the queue's table, rows by receipt; in a FIFO queue advisory locks of the groups until the transaction ends (without waiting).$comment$;

create function queue.drop_queue(name text)
returns void
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table   constant regclass := queue._queue_table(drop_queue.name);
  v_sources text;
begin
  perform queue._find_queue(drop_queue.name);

  select string_agg(format('"%s"', q.name), ', ' order by q.name)
  into v_sources
  from queue.queue as q
  where q.dead_letter_queue = drop_queue.name;
  if v_sources is not null then
    perform queue._raise('OX009', format('queue "%s" is the dead letter queue of %s', drop_queue.name, v_sources),
      null, 'Drop those queues first.');
  end if;

  perform queue._lock_queue(drop_queue.name);
  execute format('drop table %1$s', v_table);
  delete from queue.queue as q where q.name = drop_queue.name;
  delete from queue.deduplication as d where d.queue_name = drop_queue.name;
end
$function$;

comment on function queue.drop_queue(text) is
$comment$Drops a queue with all its messages.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow, OX009 the queue is another's dead letter queue, or an open transaction has used it for longer than 2 seconds.
Touches: the queue's table (exclusively, which waits for open transactions), queue.queue, queue.deduplication.$comment$;

create function queue.list_queues()
returns setof queue.queue_settings
language plpgsql
stable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
begin
  if to_regclass('queue.queue') is null then
    return;
  end if;

  return query
    select q.name, q.kind, q.visibility_timeout, q.max_receives, q.dead_letter_queue, q.created_at
    from queue.queue as q
    where q.kind <> 'workflow'
    order by q.name;
end
$function$;

comment on function queue.list_queues() is
$comment$Lists the queues and their settings. Those of workflows are left out.
Returns one row a queue, by name.
Touches: nothing; reads queue.queue.$comment$;

create function queue.next_visible_at(queue text)
returns timestamptz
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(next_visible_at.queue);
  v_next  timestamptz;
begin
  execute format($sql$
    select min(m.visible_at)
    from %1$s as m
    where %2$s
  $sql$, queue._queue_table(v_queue.name), case v_queue.kind when 'fifo' then 'm.head' else 'true' end)
  into v_next;
  return v_next;
end
$function$;

comment on function queue.next_visible_at(text) is
$comment$When the next message of a queue becomes receivable, so that an idle consumer neither polls busily nor wakes late: it listens on queue_<name>, and receives at this time at the latest. A message in flight counts with the end of its lease.
Returns a time that may have passed; null when the queue is empty.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads the first entry of the ready index.$comment$;

create function queue.purge_queue(name text)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_table  constant regclass := queue._queue_table(purge_queue.name);
  v_purged bigint;
begin
  perform queue._find_queue(purge_queue.name);

  perform queue._lock_queue(purge_queue.name);
  execute format('select count(*) from %1$s as m where m.message is not null', v_table) into v_purged;
  execute format('truncate table %1$s', v_table);
  return v_purged;
end
$function$;

comment on function queue.purge_queue(text) is
$comment$Deletes all messages of a queue, those in flight too: their receipts are dead.
Returns how many there were.
Errors: OX001 no such queue, OX007 the queue belongs to a workflow, OX009 an open transaction has used the queue for longer than 2 seconds.
Touches: the queue's table (exclusively until the caller's transaction ends; waits for open transactions). Its space is free at once.$comment$;

create function queue.queue_stats(name text)
returns queue.queue_statistics
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now        constant timestamptz := clock_timestamp();
  v_queue      constant queue.queue_settings := queue._find_queue(queue_stats.name);
  v_table      constant regclass := queue._queue_table(queue_stats.name);
  v_statistics queue.queue_statistics;
begin
  execute format($sql$
    select $1,
      count(*) filter (where m.visible_at <= $2),
      count(*) filter (where m.visible_at > $2 and m.receipt is not null),
      count(*) filter (where m.visible_at > $2 and m.receipt is null),
      %2$s,
      coalesce(pg_sequence_last_value(pg_get_serial_sequence($3::text, 'msg_id')), 0),
      $2 - min(m.enqueued_at)
    from %1$s as m
    where m.message is not null
  $sql$, v_table, case v_queue.kind when 'fifo' then 'count(distinct m.message_group_id)' else 'null::bigint' end)
  into v_statistics.name, v_statistics.visible, v_statistics.in_flight, v_statistics.delayed, v_statistics.groups,
    v_statistics.total_sent, v_statistics.oldest_message_age
  using queue_stats.name, v_now, v_table;
  return v_statistics;
end
$function$;

comment on function queue.queue_stats(text) is
$comment$Counts the messages of a queue. Reads all of them: for people and gauges, not for a hot path.
Returns visible (ready, or their lease has ended; those behind the head of their group included), in_flight (received, neither deleted nor ended), delayed (sent with a delay that has not passed), groups (with messages; null in a standard queue), total_sent (message ids drawn, those of sends that were rolled back included), and oldest_message_age (null when empty).
Errors: OX001 no such queue, OX007 the queue belongs to a workflow.
Touches: nothing; reads the queue's table.$comment$;

create function queue.receive(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null
)
returns setof queue.delivery
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(receive.queue, 'standard');
begin
  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.visible_at, d.message_group_id, d.message, d.headers
    from unnest(queue._receive(v_queue, receive.max_messages, receive.visibility_timeout, receive.matching)) as d;
end
$function$;

comment on function queue.receive(text, integer, integer, jsonb) is
$comment$Receives messages of a standard queue: oldest first, each invisible to others until its visibility timeout ends or it is deleted. A message that was received max_receives times already moves to the dead letter queue instead.
max_messages: 1 to 10000. visibility_timeout: seconds; null means the queue's. matching: receives only messages that contain this JSON (message @> matching), at the cost of reading past the others.
Returns a row a message; fewer than asked for, or none, when no more are ready.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue.
Touches: the queue's table, by its ready index (rows locked with SKIP LOCKED); the dead letter queue's table for messages that move there.$comment$;

create function queue.receive_fifo(
  queue              text,
  max_messages       integer default 1,
  visibility_timeout integer default null,
  matching           jsonb default null
)
returns setof queue.delivery
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue constant queue.queue_settings := queue._find_queue(receive_fifo.queue, 'fifo');
begin
  -- Its snapshot would be older than the locks under which heads are promoted.
  if current_setting('transaction_isolation') <> 'read committed' then
    perform queue._raise(
      'OX004',
      format('receive_fifo() cannot run in a %s transaction', current_setting('transaction_isolation')),
      null,
      'Receive in a transaction of isolation level read committed.'
    );
  end if;

  return query
    select d.msg_id, d.receipt, d.read_ct, d.enqueued_at, d.visible_at, d.message_group_id, d.message, d.headers
    from unnest(queue._receive(v_queue, receive_fifo.max_messages, receive_fifo.visibility_timeout, receive_fifo.matching)) as d;
end
$function$;

comment on function queue.receive_fifo(text, integer, integer, jsonb) is
$comment$Receives messages of a FIFO queue: of each message group at most its oldest one, and none while that is in flight or delayed. A message that comes back after its visibility timeout keeps its place. One that was received max_receives times already moves to the dead letter queue instead. The cost does not grow with the depth of a group.
max_messages: 1 to 10000. visibility_timeout: seconds; null means the queue's. matching: receives only messages that contain this JSON (message @> matching); one at the head of its group that does not is not skipped.
Returns a row a message, oldest first; fewer than asked for, or none, when no more groups are ready.
Errors: OX001 no such queue, OX004 invalid argument or a repeatable read transaction, OX007 not a FIFO queue.
Touches: the queue's table, by its ready index (rows locked with SKIP LOCKED); for messages that move to the dead letter queue and for tombstones, advisory locks of groups (without waiting) and the dead letter queue's table.$comment$;

create function queue.redrive(dead_letter_queue text, max_messages integer default 1000)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_queue    constant queue.queue_settings := queue._find_queue(redrive.dead_letter_queue);
  v_take     constant text := format($sql$
    with letters as materialized (
      select m.msg_id
      from %1$s as m
      where %2$s
        and (m.receipt is null or m.visible_at <= $2)
        and (m.message is null or exists (
          select
          from queue.queue as q
          where q.name = m.headers #>> '{dead_letter,queue}'
            and q.dead_letter_queue = $1
            and (q.kind = 'standard' or m.headers #>> '{dead_letter,message_group_id}' <> '')
        ))
      order by m.msg_id
      limit $3
      for update skip locked
    ),
    taken as (
      update %1$s as m
      set receipt = queue._new_receipt(m.msg_id, m.receipt)
      from letters
      where m.msg_id = letters.msg_id
      returning row(
        m.msg_id, m.receipt, m.read_ct, m.enqueued_at, m.visible_at, null, m.message, m.headers
      )::queue.delivery as letter
    )
    select array_agg(taken.letter) from taken
  $sql$,
    queue._queue_table(v_queue.name),
    case v_queue.kind when 'fifo' then 'm.head' else 'true' end
  );
  v_letters  queue.delivery[];
  v_source   record;
  v_redriven bigint := 0::bigint;
begin
  if redrive.max_messages is null or redrive.max_messages < 1 then
    perform queue._raise('OX004', format('invalid max_messages %s', coalesce(max_messages::text, 'null')), null,
      'Redrive at least one message.');
  end if;

  -- Of a FIFO queue, each round takes the heads.
  loop
    execute v_take
    into v_letters
    using v_queue.name, v_now, least(redrive.max_messages - v_redriven, 1000);
    exit when v_letters is null;

    for v_source in
      select q.name, q.kind, count(*) as letters,
        array_agg(l.message order by l.msg_id) as messages,
        array_agg(l.headers #>> '{dead_letter,message_group_id}' order by l.msg_id) as group_ids,
        array_agg(
          nullif(
            l.headers - 'dead_letter' || jsonb_strip_nulls(
              jsonb_build_object('dead_letter', l.headers #> '{dead_letter,previous}')
            ),
            '{}'
          )
          order by l.msg_id
        ) as headers
      from unnest(v_letters) as l
      join queue.queue as q on q.name = l.headers #>> '{dead_letter,queue}'
      where l.message is not null
      group by q.name, q.kind
      order by q.name
    loop
      if v_source.kind = 'fifo' then
        perform queue._send_fifo(v_source.name, v_source.messages, v_source.group_ids, '0', v_source.headers);
      else
        perform queue.send_batch(v_source.name, v_source.messages, 0, v_source.headers);
      end if;
      v_redriven := v_redriven + v_source.letters;
    end loop;

    perform queue._delete_messages(
      v_queue, array(select l.receipt from unnest(v_letters) as l), v_now + interval '100 milliseconds'
    );
  end loop;
  return v_redriven;
end
$function$;

comment on function queue.redrive(text, integer) is
$comment$Sends dead letters back to the queues that they came from, as new messages without the dead letter header: into a FIFO queue at the end of their group, in the order in which they died. Skips letters in flight, and what was sent to the dead letter queue by other means.
max_messages: at most this many, oldest first.
Returns how many were sent back.
Errors: OX001 no such queue, OX004 invalid argument, OX007 the queue belongs to a workflow.
Touches: the dead letter queue's table (rows locked with SKIP LOCKED), the source queues' tables, in the order of their names; advisory locks of groups of FIFO queues (waits).$comment$;

create function queue.send(
  queue         text,
  message       jsonb,
  delay_seconds numeric default 0,
  headers       jsonb default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return queue.send_batch(send.queue, array[send.message], send.delay_seconds, array[send.headers]);
end
$function$;

comment on function queue.send(text, jsonb, numeric, jsonb) is
$comment$Sends a message to a standard queue, in the caller's transaction: it is there when that commits.
delay_seconds: how long the message stays invisible, with fractions. headers: a JSON object, for what describes the message.
Returns the message's id.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, OX008 message too large.
Touches: the queue's table; NOTIFY only where somebody waits.$comment$;

create function queue.send_batch(
  queue         text,
  messages      jsonb[],
  delay_seconds numeric default 0,
  headers       jsonb[] default null
)
returns setof bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_queue constant queue.queue_settings := queue._find_queue(send_batch.queue, 'standard');
  v_delay constant interval := queue._duration(coalesce(send_batch.delay_seconds, 0), 'delay');
begin
  perform queue._check_messages(send_batch.messages, send_batch.headers);

  return query execute format($sql$
    insert into %1$s as m (visible_at, enqueued_at, message, headers)
    select $1 + $2, $1, i.message, i.headers
    from unnest($3, $4) with ordinality as i (message, headers, position)
    order by i.position
    returning m.msg_id
  $sql$, queue._queue_table(v_queue.name))
  using v_now, v_delay, send_batch.messages, send_batch.headers;

  if found then
    perform queue._wake('queue_' || v_queue.name);
  end if;
end
$function$;

comment on function queue.send_batch(text, jsonb[], numeric, jsonb[]) is
$comment$Sends many messages to a standard queue in one statement, in the caller's transaction.
delay_seconds: how long the messages stay invisible, with fractions. headers: null, or one JSON object or null a message.
Returns the messages' ids, in order.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a standard queue, OX008 message too large.
Touches: the queue's table; NOTIFY only where somebody waits, once for all.$comment$;

create function queue.send_fifo(
  queue            text,
  message          jsonb,
  message_group_id text,
  deduplication_id text default null,
  delay_seconds    numeric default 0,
  headers          jsonb default null
)
returns bigint
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue  constant queue.queue_settings := queue._find_queue(send_fifo.queue, 'fifo');
  v_delay  constant interval := queue._duration(coalesce(send_fifo.delay_seconds, 0), 'delay');
  v_groups constant text[] := array[send_fifo.message_group_id];
  v_msg_id bigint;
begin
  perform queue._check_messages(array[send_fifo.message], array[send_fifo.headers]);
  perform queue._check_id(send_fifo.message_group_id, 'message group id');

  if send_fifo.deduplication_id is not null then
    perform queue._check_id(send_fifo.deduplication_id, 'deduplication id');
    -- Before the id, so that senders to one group queue up here and not in two places.
    perform queue._lock_groups(v_queue.name, v_groups);
    v_msg_id := queue._deduplicate(v_queue.name, send_fifo.deduplication_id);
    if v_msg_id is not null then
      return v_msg_id;
    end if;
  end if;

  v_msg_id := (queue._send_fifo(v_queue.name, array[send_fifo.message], v_groups, v_delay, array[send_fifo.headers]))[1];

  if send_fifo.deduplication_id is not null then
    update queue.deduplication as d
    set msg_id = v_msg_id
    where d.queue_name = v_queue.name
      and d.deduplication_id = send_fifo.deduplication_id;
  end if;
  return v_msg_id;
end
$function$;

comment on function queue.send_fifo(text, jsonb, text, text, numeric, jsonb) is
$comment$Sends a message to a FIFO queue, in the caller's transaction. Within a message group, messages are received in the order in which their transactions committed: senders to one group wait for each other's transactions.
message_group_id: whatever must stay in order, 1 to 512 characters. deduplication_id: within 5 minutes, a message with the same id in the same queue is not sent again. delay_seconds: how long the message stays invisible, with fractions; it delays those behind it in its group too.
Returns the message's id, or that of the first message with the deduplication id.
Errors: OX001 no such queue, OX004 invalid argument, OX007 not a FIFO queue, OX008 message too large; 40001 in a repeatable read transaction, when the group has changed since it began.
Touches: the group's advisory lock until the transaction ends (waits), queue.deduplication when there is a deduplication id, the queue's table; NOTIFY only where somebody waits.$comment$;

create function queue.workflow_cancel(run_id bigint, reason text default null)
returns boolean
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now    constant timestamptz := clock_timestamp();
  v_name   text;
  v_status text;
  v_leased boolean;
begin
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_cancel.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return false;
  end if;

  execute format($sql$
    select m.receipt is not null from %1$s as m where m.msg_id = $1 for update
  $sql$, queue._workflow_table(v_name))
  into v_leased
  using run_id;
  if v_leased is null then
    return false;
  end if;

  perform queue._end_runs(
    v_name,
    array[run_id],
    array['cancelled'],
    null,
    array[jsonb_build_object(
      'name', 'RunCancelled',
      'code', 'RUN_CANCELLED',
      'message', coalesce(reason, format('run %s was cancelled', run_id))
    )],
    null,
    v_now
  );
  if v_leased then
    perform queue._call_worker(v_name, run_id);
  end if;
  return true;
end
$function$;

comment on function queue.workflow_cancel(bigint, text) is
$comment$Cancels a run: its continuation is deleted and its status set, in the caller's transaction. A worker that is inside it learns at once by NOTIFY, else at its next commit or heartbeat, and can't write any more.
reason: kept as the message of the run's error.
Returns true when this call cancelled the run, false when it had ended before.
Errors: OX005 no such run.
Touches: the run's continuation, queue.workflow_run.$comment$;

create function queue.workflow_commit(
  names          text[],
  run_ids        bigint[],
  receipts       bigint[],
  transitions    text[],
  results        jsonb[],
  resume_at      timestamptz[],
  step_items     integer[] default null,
  step_positions integer[] default null,
  step_names     text[] default null,
  step_kinds     text[] default null,
  step_outputs   jsonb[] default null,
  step_errors    jsonb[] default null,
  step_attempts  integer[] default null,
  step_durations double precision[] default null
)
returns setof queue.workflow_commit_result
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_names    constant text[] := array(select distinct n from unnest(names) as n order by n);
  v_name     text;
  v_held     boolean[];
  v_resolved jsonb;
begin
  perform queue._check_commit(names, run_ids, receipts, transitions, results);

  -- The lock on its continuation is the lock on a run: receive, commit, signal and cancel all begin with it.
  v_held := array_fill(false, array[cardinality(run_ids)]);
  foreach v_name in array v_names loop
    v_held := queue._lock_leases(v_name, names, run_ids, receipts, v_held);
  end loop;

  insert into queue.workflow_step (
    run_id, started_at, completed_at, position, attempts, step_name, kind, output, error
  )
  select run_ids[s.item], v_now - make_interval(secs => s.duration / 1000), v_now, s.position, s.attempts, s.name,
    s.kind, s.output, s.error
  from unnest(
    step_items, step_positions, step_names, step_kinds, step_outputs, step_errors, step_attempts, step_durations
  ) as s (item, position, name, kind, output, error, attempts, duration)
  where v_held[s.item]
  on conflict (run_id, step_name) do nothing;

  if exists (select from unnest(results) as c (body) where c.body -> 'waits' @> '[{"kind": "event"}]') then
    v_resolved := queue._resolve_waits(run_ids, transitions, results, v_held, v_now);
  end if;

  foreach v_name in array v_names loop
    perform queue._move_continuations(
      v_name, names, run_ids, transitions, results, resume_at, v_held, v_resolved, v_now
    );
    perform queue._end_committed_runs(v_name, names, run_ids, receipts, transitions, results, v_held, v_now);
  end loop;

  return query
    select i.run_id, i.receipt,
      case when i.held then 'ok' else queue._unheld_outcome(i.name, i.run_id, i.receipt) end,
      v_resolved -> (i.item::text) -> 'resolved'
    from unnest(names, run_ids, receipts, v_held) with ordinality as i (name, run_id, receipt, held, item)
    order by i.item;
end
$function$;

comment on function queue.workflow_commit(text[], bigint[], bigint[], text[], jsonb[], timestamptz[], integer[], integer[], text[], text[], jsonb[], jsonb[], integer[], double precision[]) is
$comment$The transition of runs, many in one statement: journals their steps, and gives each run its next state, if its receipt is alive.
names, run_ids, receipts, transitions, results, resume_at: parallel arrays, one element a run; a run is there once. transitions: keep (the worker goes on with the lease it has; result null, or a new continuation; {} leaves the continuation as it is; both kinds of object restart the count of deliveries that ends in PoisonedRun), suspend (the continuation, result, becomes visible at resume_at; null is when a signal comes), complete (result: the output), fail (result: the error), release (given back untouched, to be received again at once). A continuation is {"waits": […], "retries": […], "journaled": <rows in the journal>}. step_…: parallel arrays, one element a step. step_items: which run, as an index into run_ids, from 1. step_positions: place in the journal, from 1. step_kinds: run, sleep or wait. step_durations: milliseconds.
Event waits of a continuation take matching buffered signals in the same transaction; one that carries "expired": true and finds none times out. Either way it is journaled and returned in resolved, [{"step": …, "payload": …}], and a suspended run then keeps its lease.
Returns a row a run, in order: ok; lost, where the receipt is dead; cancelled. The last two changed nothing. A commit repeated after a lost answer is answered ok again and changes nothing.
Errors: OX004 invalid argument.
Touches: continuations (locked in the order of run ids), queue.workflow_step, queue.workflow_buffered_signal, queue.workflow_run.$comment$;

create function queue.workflow_complete_step(
  run_id      bigint,
  step_name   text,
  output      jsonb,
  error       jsonb,
  next_msg    jsonb,
  next_delay  interval,
  ack_receipt bigint
)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_name      text;
  v_journaled integer;
  v_outcome   text;
begin
  select r.workflow_name into v_name
  from queue.workflow_run as r
  where r.run_id = workflow_complete_step.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;

  select coalesce(max(s.position), 0) into v_journaled
  from queue.workflow_step as s
  where s.run_id = workflow_complete_step.run_id;

  select c.outcome into v_outcome
  from queue.workflow_commit(
    array[v_name],
    array[run_id],
    array[ack_receipt],
    array[case when next_msg is not null then 'suspend' when error is not null then 'fail' else 'complete' end],
    array[case
      when next_msg is not null then next_msg || jsonb_build_object('journaled', v_journaled + 1)
      else coalesce(error, output)
    end],
    array[clock_timestamp() + coalesce(next_delay, interval '0')],
    case when step_name is not null then array[1] end,
    case when step_name is not null then array[v_journaled + 1] end,
    case when step_name is not null then array[step_name] end,
    case when step_name is not null then array['run'] end,
    case when step_name is not null then array[case when error is null then output end] end,
    case when step_name is not null then array[error] end,
    case when step_name is not null then array[1] end,
    case when step_name is not null then array[0] end
  ) as c;
  return v_outcome;
end
$function$;

comment on function queue.workflow_complete_step(bigint, text, jsonb, jsonb, jsonb, interval, bigint) is
$comment$The atomic transition, for one step of one run: journals the step, enqueues the delayed continuation (or ends the run), and acks the receipt. workflow_commit() with one item.
step_name: null journals nothing. error: why the step failed for good; null when it succeeded. next_msg: the continuation, a JSON object; null ends the run, failed with error if there is one, else completed with output. next_delay: until the continuation becomes visible; null is at once. ack_receipt: of the delivery that is answered.
Returns ok, lost (the receipt is dead) or cancelled; the last two changed nothing. Called again after a lost answer, it returns ok and changes nothing.
Errors: OX004 invalid argument, OX005 no such run.
Touches: continuations, queue.workflow_step, queue.workflow_buffered_signal, queue.workflow_run.$comment$;

create function queue.workflow_get(run_id bigint)
returns setof queue.workflow_state
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now     constant timestamptz := clock_timestamp();
  v_table   regclass;
begin
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;
  select queue._workflow_table(r.workflow_name) into v_table
  from queue.workflow_run as r
  where r.run_id = workflow_get.run_id;
  if v_table is null then
    return;
  end if;

  return query execute format($sql$
    select r.run_id, r.workflow_name, r.workflow_version, r.status::text,
      case
        when m.receipt is not null and m.visible_at > $2 then 'executing'
        when m.visible_at <= $2 then 'ready'
        when m.message -> 'retries' @> '[{}]' then 'retrying'
        when m.message -> 'waits' @> '[{"kind": "event"}]' then 'waiting'
        when m.message -> 'waits' @> '[{"kind": "sleep"}]' then 'sleeping'
        when m.msg_id is not null then 'delayed'
      end,
      r.input, r.output, r.error, r.idempotency_key, r.tags, m.read_ct, m.message -> 'waits',
      m.message -> 'retries', r.started_at, r.completed_at, r.deadline,
      case when m.receipt is null and m.visible_at > $2 then m.visible_at end
    from queue.workflow_run as r
    left join %1$s as m on m.msg_id = r.run_id
    where r.run_id = $1
  $sql$, v_table)
  using run_id, v_now;
end
$function$;

comment on function queue.workflow_get(bigint) is
$comment$A run, and what it is doing.
Returns one row; none when the run does not exist.
Touches: nothing; reads the run and its continuation.$comment$;

create function queue.workflow_heartbeat(receipts bigint[], lease_seconds numeric default 30)
returns setof queue.workflow_lease_notice
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  v_lease_end constant timestamptz := clock_timestamp()
    + case when lease_seconds is not null then queue._lease_interval(lease_seconds) end;
  v_name      text;
  v_held      bigint[] := array[]::bigint[];
  v_signalled bigint[] := array[]::bigint[];
  v_of_name   record;
begin
  for v_name in
    select distinct r.workflow_name
    from unnest(receipts) as i (receipt)
    join queue.workflow_run as r on r.run_id = queue._receipt_msg_id(i.receipt)
    where r.status = 'running'
    order by r.workflow_name
  loop
    v_of_name := queue._extend_leases(v_name, receipts, v_lease_end);
    v_held := v_held || v_of_name.held;
    v_signalled := v_signalled || v_of_name.signalled;
  end loop;

  return query
    select queue._receipt_msg_id(i.receipt), i.receipt,
      case
        when i.receipt = any (v_signalled) then 'signalled'
        when r.status = 'cancelled' then 'cancelled'
        else 'lost'
      end
    from unnest(receipts) as i (receipt)
    left join queue.workflow_run as r on r.run_id = queue._receipt_msg_id(i.receipt)
    where i.receipt = any (v_signalled)
      or not i.receipt = any (v_held);
end
$function$;

comment on function queue.workflow_heartbeat(bigint[], numeric) is
$comment$Extends the leases of many runs in one statement, and tells which of them need attention.
receipts: as returned by workflow_receive(). lease_seconds: from now; null extends nothing and only tells.
Returns a row for each lease that is lost (somebody else received the run, or it has ended) or cancelled, and for each that is held but signalled: a buffered signal matches one of its waits, and its next commit takes it. No row for the others.
Errors: OX004 invalid argument.
Touches: continuations; reads runs and buffered signals.$comment$;

create function queue.workflow_journal(run_id bigint)
returns setof queue.workflow_journal_entry
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
begin
  return query
    select s.step_name, s.kind, s.attempts, s.output, s.error, s.started_at, s.completed_at
    from queue.workflow_step as s
    where s.run_id = workflow_journal.run_id
    order by s.position;
end
$function$;

comment on function queue.workflow_journal(bigint) is
$comment$The journal of a run, in order.
Returns one row a finished step; none when there are none, or no such run.
Touches: nothing; reads queue.workflow_step.$comment$;

create function queue.workflow_next_visible_at(names text[], versions jsonb default null)
returns timestamptz
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  v_name text;
  v_due  timestamptz;
  v_next timestamptz;
begin
  foreach v_name in array names loop
    continue when queue._workflow_table(v_name) is null;
    if queue._served_versions(versions, v_name) is null then
      execute format('select min(m.visible_at) from %1$s as m', queue._workflow_table(v_name)) into v_due;
    else
      execute format($sql$
        select min(first.visible_at)
        from unnest($1) as v (version)
        cross join lateral (
          select m.visible_at
          from %1$s as m
          where m.version = v.version
          order by m.visible_at
          limit 1
        ) as first
      $sql$, queue._workflow_table(v_name))
      into v_due
      using queue._served_versions(versions, v_name);
    end if;
    v_next := least(v_next, v_due);
  end loop;
  return v_next;
end
$function$;

comment on function queue.workflow_next_visible_at(text[], jsonb) is
$comment$When the next run of these workflows becomes visible, so that an idle worker neither polls busily nor wakes late. Leased runs count with the end of their lease.
names, versions: as in workflow_receive().
Returns a time that may have passed; null when there is no run, infinity when all wait for signals alone.
Touches: nothing; reads the first entry of the ready indexes.$comment$;

create function queue.workflow_receive(
  names         text[],
  versions      jsonb default null,
  max_runs      integer default 1,
  lease_seconds numeric default 30
)
returns setof queue.workflow_delivery
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  v_now       constant timestamptz := clock_timestamp();
  v_lease_end constant timestamptz := v_now + queue._lease_interval(lease_seconds);
  v_left      integer := max_runs;
  v_name      text;
  v_claimed   record;
begin
  -- No sequential scan (see SET): a plan made while the journal was empty would read all of it ever after.
  if max_runs is null or max_runs not between 1 and 10000 then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'Receive between 1 and 10000 runs at a time.');
  end if;

  foreach v_name in array names loop
    exit when v_left = 0;
    continue when queue._workflow_table(v_name) is null;

    v_claimed := queue._claim_runs(v_name, queue._served_versions(versions, v_name), v_left, v_now, v_lease_end);
    continue when v_claimed.run_ids is null;

    if v_claimed.must_end is not null then
      perform queue._end_undeliverable_runs(v_name, v_claimed.must_end, v_now);
    end if;

    return query
      select c.run_id, c.receipt, v_name, r.workflow_version, c.attempt, r.input, j.journal, c.continuation,
        r.started_at, v_now
      from unnest(
        v_claimed.run_ids, v_claimed.receipts, v_claimed.attempts, v_claimed.continuations, v_claimed.is_fresh
      ) as c (run_id, receipt, attempt, continuation, is_fresh)
      join queue.workflow_run as r on r.run_id = c.run_id
      left join lateral (
        select jsonb_agg(
            queue._journal_json(s.step_name, s.kind, s.attempts, s.output, s.error) order by s.position
          ) as journal
        from queue.workflow_step as s
        where s.run_id = c.run_id
          and not c.is_fresh
      ) as j on true
      where r.status = 'running';

    v_left := v_left - cardinality(v_claimed.run_ids);
  end loop;
end
$function$;

comment on function queue.workflow_receive(text[], jsonb, integer, numeric) is
$comment$Leases ready runs to a worker, each with its whole journal, so that a resume is one round trip.
names: workflows to take runs of, in order of preference; one that was never started is skipped. versions: maps a name to the versions that the worker serves, {"onboard-user": [1, 2]}; a name that is missing, or null, takes any version. lease_seconds: how long nobody else receives the runs; extend it with workflow_heartbeat().
Returns at most max_runs rows, none when nothing is ready. A run that was delivered 10 times without any commit fails with PoisonedRun, one past its deadline with DeadlineExceeded, instead of being returned.
Errors: OX004 invalid argument.
Touches: continuations (locked with SKIP LOCKED); reads runs and journals.$comment$;

create function queue.workflow_signal(run_id bigint, event text, payload jsonb default null)
returns text
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
set enable_seqscan = off
as $function$
declare
  v_now     timestamptz;
  v_name    text;
  v_status  text;
  v_message jsonb;
  v_receipt bigint;
  v_visible timestamptz;
  v_wait    jsonb;
begin
  if event is null or event !~ '^[a-zA-Z0-9._-]{1,128}$' then
    perform queue._raise('OX003', format('invalid event name "%s"', left(coalesce(event, 'null'), 140)), null,
      'An event name is 1 to 128 characters of a-z, A-Z, 0-9, ".", "_" and "-".');
  end if;
  select r.workflow_name, r.status::text into v_name, v_status
  from queue.workflow_run as r
  where r.run_id = workflow_signal.run_id;
  if not found then
    perform queue._raise_run_not_found(run_id);
  end if;
  if v_status <> 'running' then
    return 'ignored';
  end if;

  -- Who holds this lock decides alone: a commit that registers the wait comes wholly before, or wholly after.
  execute format($sql$
    select m.message, m.receipt, m.visible_at
    from %1$s as m
    where m.msg_id = $1
    for no key update
  $sql$, queue._workflow_table(v_name))
  into v_message, v_receipt, v_visible
  using run_id;
  if v_message is null then
    return 'ignored';
  end if;

  v_now := clock_timestamp();
  v_wait := queue._first_matching_wait(v_message -> 'waits', event, payload);
  if v_wait is null or (v_receipt is not null and v_visible > v_now) then
    insert into queue.workflow_buffered_signal (run_id, received_at, event, payload)
    values (workflow_signal.run_id, v_now, workflow_signal.event, workflow_signal.payload);
    if v_wait is not null then
      perform queue._call_worker(v_name, run_id);
    end if;
    return 'buffered';
  end if;

  if v_receipt is not null then
    -- Of a lease that has ended: its worker may have journaled more than the continuation tells.
    v_message := v_message || jsonb_build_object('journaled', (
      select coalesce(max(s.position), 0)
      from queue.workflow_step as s
      where s.run_id = workflow_signal.run_id
    ));
  end if;
  perform queue._deliver_signal(v_name, run_id, v_message, v_wait, payload, v_now);
  return 'delivered';
end
$function$;

comment on function queue.workflow_signal(bigint, text, jsonb) is
$comment$Sends an event to a run, in the caller's transaction.
event: the name that the run waits for. payload: handed to the first of its waits whose match it contains (payload @> match).
Returns delivered, when the run was waiting: its step is journaled and it is visible; buffered, when it is executing or no wait matches: kept, in arrival order, for the next wait that does; ignored, when the run has ended.
Errors: OX003 invalid event name, OX005 no such run.
Touches: the run's continuation, queue.workflow_step, queue.workflow_buffered_signal.$comment$;

create function queue.workflow_start(
  name            text,
  input           jsonb default null,
  version         integer default 1,
  idempotency_key text default null,
  retention_days  integer default null,
  delay_seconds   numeric default 0,
  deadline        timestamptz default null,
  tags            jsonb default null
)
returns queue.started_run
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_started queue.started_run;
begin
  select s.run_id, s.created, s.status
  into v_started
  from queue.workflow_start_batch(
    workflow_start.name,
    array[workflow_start.input],
    array[workflow_start.version],
    array[workflow_start.idempotency_key],
    array[workflow_start.retention_days],
    array[workflow_start.delay_seconds],
    array[workflow_start.deadline],
    array[workflow_start.tags]
  ) as s;
  return v_started;
end
$function$;

comment on function queue.workflow_start(text, jsonb, integer, text, integer, numeric, timestamptz, jsonb) is
$comment$Starts a run of a workflow in the caller's transaction.
name: of the workflow; its queue is made at the first start. version: which definition the run stays with. idempotency_key: a second start of the workflow with this key finds the first run. retention_days: how long the ended run is kept, 30 when null. delay_seconds: how long the run waits before it begins. deadline: when a run that is still running fails; null is never. tags: anything to find the run by.
Returns the run, whether this call created it, and its status.
Errors: OX003 invalid name, OX004 invalid argument.
Touches: queue.workflow_run, the workflow's queue table.$comment$;

create function queue.workflow_start_batch(
  name             text,
  inputs           jsonb[],
  versions         integer[] default null,
  idempotency_keys text[] default null,
  retention_days   integer[] default null,
  delay_seconds    numeric[] default null,
  deadlines        timestamptz[] default null,
  tags             jsonb[] default null
)
returns setof queue.started_run
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now      constant timestamptz := clock_timestamp();
  v_table    regclass;
  v_run_ids  bigint[];
  v_created  bigint[];
  v_returned bigint;
begin
  perform queue._ensure_migrated();
  v_table := coalesce(
    queue._workflow_table(workflow_start_batch.name),
    queue._create_workflow_queue(workflow_start_batch.name)
  );
  perform queue._check_start(versions, idempotency_keys, retention_days, delay_seconds);

  v_run_ids := array(
    select nextval('queue.workflow_run_run_id_seq')
    from generate_subscripts(inputs, 1)
  );

  with inserted as (
    insert into queue.workflow_run as r (
      run_id, started_at, deadline, retention_days, workflow_version, status, workflow_name,
      idempotency_key, input, tags
    )
    select
      i.run_id, v_now, i.deadline, coalesce(i.retention_days, 30), coalesce(i.version, 1), 'running',
      workflow_start_batch.name, i.idempotency_key, i.input, i.tags
    from unnest(
      v_run_ids, inputs, versions, idempotency_keys, workflow_start_batch.retention_days, deadlines,
      workflow_start_batch.tags
    ) as i (run_id, input, version, idempotency_key, retention_days, deadline, tags)
    on conflict (workflow_name, idempotency_key) where idempotency_key is not null do nothing
    returning r.run_id
  )
  select array_agg(inserted.run_id) into v_created from inserted;

  if v_created is not null then
    execute format($sql$
      insert into %1$s (msg_id, visible_at, enqueued_at, read_ct, version, message)
      select i.run_id, $1 + make_interval(secs => coalesce(i.delay_seconds, 0)::double precision), $1, 0,
        coalesce(i.version, 1), '{}'
      from unnest($2, $3, $4) as i (run_id, version, delay_seconds)
      where i.run_id = any ($5)
    $sql$, v_table)
    using v_now, v_run_ids, versions, workflow_start_batch.delay_seconds, v_created;
    perform queue._wake('queue___wf_' || workflow_start_batch.name);
  end if;

  if cardinality(v_created) = cardinality(v_run_ids) then
    return query
      select i.run_id, true, 'running'
      from unnest(v_run_ids) with ordinality as i (run_id, position)
      order by i.position;
    return;
  end if;

  -- A key that was taken: its run is visible to this statement, since the insert waited for whoever had it.
  return query
    select r.run_id, r.run_id = i.run_id, r.status::text
    from unnest(v_run_ids, idempotency_keys) with ordinality as i (run_id, idempotency_key, position)
    cross join lateral (
      select own.run_id, own.status
      from queue.workflow_run as own
      where own.run_id = i.run_id
      union all
      select taken.run_id, taken.status
      from queue.workflow_run as taken
      where taken.workflow_name = workflow_start_batch.name
        and taken.idempotency_key = i.idempotency_key
      limit 1
    ) as r
    order by i.position;
  get diagnostics v_returned = row_count;
  if v_returned < cardinality(v_run_ids) then
    perform queue._raise(
      'OX010',
      format('a run of workflow "%s" was swept away while its idempotency key was looked up', name),
      null,
      'Start the run again.'
    );
  end if;
end
$function$;

comment on function queue.workflow_start_batch(text, jsonb[], integer[], text[], integer[], numeric[], timestamptz[], jsonb[]) is
$comment$Starts many runs of a workflow in one statement, in the caller's transaction.
Every array has one element a run, as in workflow_start(); one that is null or short means the default. inputs: tells how many runs; a run without input is a null element.
Returns one row a run, in order.
Errors: OX003 invalid name, OX004 invalid argument, OX010 try again.
Touches: queue.workflow_run, the workflow's queue table.$comment$;

create function queue.workflow_sweep(max_runs integer default 1000)
returns integer
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_now   constant timestamptz := clock_timestamp();
  v_swept bigint[];
begin
  if max_runs is null or max_runs not between 1 and 100000 then
    perform queue._raise('OX004', format('invalid max_runs %s', coalesce(max_runs::text, 'null')), null,
      'Sweep between 1 and 100000 runs at a time.');
  end if;
  if to_regclass('queue.workflow_run') is null then
    return 0;
  end if;

  with expired as materialized (
    select r.run_id
    from queue.workflow_run as r
    where r.expires_at <= v_now
    order by r.expires_at
    limit max_runs
    for update skip locked
  ),
  swept as (
    delete from queue.workflow_run as r
    using expired
    where r.run_id = expired.run_id
    returning r.run_id
  )
  select array_agg(swept.run_id) into v_swept from swept;

  delete from queue.workflow_step as s where s.run_id = any (v_swept);
  delete from queue.workflow_buffered_signal as b where b.run_id = any (v_swept);
  return coalesce(cardinality(v_swept), 0);
end
$function$;

comment on function queue.workflow_sweep(integer) is
$comment$Deletes ended runs whose retention is over, oldest first, with their journals. Runs that are still running are never touched; several sweepers at once share the work.
max_runs: bound of one call; call again while it returns that many.
Returns how many runs were deleted.
Errors: OX004 invalid argument.
Touches: queue.workflow_run (SKIP LOCKED), queue.workflow_step, queue.workflow_buffered_signal.$comment$;

create function queue.check_invariants()
returns setof queue.violation
language plpgsql
stable
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_queue record;
begin
  if to_regclass('queue.workflow_run') is null then
    return;
  end if;

  return query
    select 'a journal row has its run', format('run %s', s.run_id), format('step "%s"', s.step_name)
    from queue.workflow_step as s
    where not exists (select from queue.workflow_run as r where r.run_id = s.run_id)
    union all
    select 'a journal has the positions 1 to n', format('run %s', s.run_id),
      format('%s rows, last position %s', count(*), max(s.position))
    from queue.workflow_step as s
    group by s.run_id
    having count(*) <> max(s.position)
      or count(distinct s.position) <> count(*)
    union all
    select 'a buffered signal has its run', format('run %s', b.run_id), format('event "%s"', b.event)
    from queue.workflow_buffered_signal as b
    where not exists (select from queue.workflow_run as r where r.run_id = b.run_id)
    union all
    select 'a run has the queue of its workflow', format('run %s', r.run_id),
      format('workflow "%s"', r.workflow_name)
    from queue.workflow_run as r
    where queue._workflow_table(r.workflow_name) is null;

  for v_queue in
    select q.name, q.kind, queue._queue_table(q.name) as queue_table
    from queue.queue as q
    order by q.name
  loop
    if v_queue.kind = 'workflow' then
      return query select v.* from queue._check_continuations(substr(v_queue.name, 6), v_queue.queue_table) as v;
    elsif v_queue.kind = 'fifo' then
      return query select v.* from queue._check_heads(v_queue.name, v_queue.queue_table) as v;
    end if;
  end loop;
end
$function$;

comment on function queue.check_invariants() is
$comment$Looks for states that must never be: a running run without its continuation, an ended one with one, a wait that is journaled already, a journal without its run or with a gap, a message group without its head. Reads everything; not for a hot path.
Returns a row for each violation; none is as it must be.
Touches: nothing; reads all tables.$comment$;

create function queue.migrate()
returns integer
language plpgsql
volatile
parallel unsafe
set search_path = pg_catalog, pg_temp
as $function$
declare
  v_latest constant integer := 2;
  v_current integer := 0;
begin
  if to_regclass('queue.migration') is not null then
    select coalesce(max(m.version), 0) into v_current from queue.migration as m;
    if v_current >= v_latest then
      return 0;
    end if;
  end if;

  perform pg_advisory_xact_lock(hashtextextended('queue.migrate', 0));
  perform queue._check_migration_rights();

  create table if not exists queue.migration (
    applied_at timestamptz not null,
    version    integer not null,
    name       text not null,
    constraint migration_pkey primary key (version)
  );
  comment on table queue.migration is
    'One row a change of state that was applied to this database, from migrations/.';
  comment on column queue.migration.applied_at is 'When it was applied.';
  comment on column queue.migration.version is 'Number of the migration.';
  comment on column queue.migration.name is 'Name of the migration.';

  -- Again, since another migrator may have held the lock.
  select coalesce(max(m.version), 0) into v_current from queue.migration as m;

  if v_current < 1 then
    execute $migration_1$
-- The registry of queues, and the deduplication ids of FIFO queues.
--
-- The messages of queue n are in queue.q_<n>, which queue._create_queue_table() makes with the queue. The names
-- of its indexes and of its sequence begin otherwise, so that no queue's table can collide with them.

create table queue.queue (
  created_at         timestamptz not null default clock_timestamp(),
  visibility_timeout integer not null,
  max_receives       integer,
  name               text not null,
  kind               text not null,
  dead_letter_queue  text,
  constraint queue_pkey primary key (name),
  constraint dead_letter_queue_exists foreign key (dead_letter_queue) references queue.queue (name),
  constraint kind_is_known check (kind in ('standard', 'fifo', 'workflow')),
  constraint visibility_timeout_is_not_negative check (visibility_timeout >= 0),
  constraint max_receives_is_positive check (max_receives > 0),
  constraint max_receives_goes_with_dead_letter_queue check ((max_receives is null) = (dead_letter_queue is null)),
  constraint dead_letter_queue_is_another_queue check (dead_letter_queue <> name)
);

create index queue_dead_letter_queue on queue.queue (dead_letter_queue)
  where dead_letter_queue is not null;

comment on table queue.queue is
  'One row a queue, from create_queue() to drop_queue(). Its messages are in queue.q_<name>.';
comment on column queue.queue.created_at is 'When the queue was created.';
comment on column queue.queue.visibility_timeout is 'Seconds for which a received message is in flight, where receive() is not told otherwise.';
comment on column queue.queue.max_receives is 'How often a message is delivered before it moves to the dead letter queue; null: for ever.';
comment on column queue.queue.name is 'Name of the queue; one that begins with "__" is Oxbow''s own.';
comment on column queue.queue.kind is 'standard, fifo (order within a message group) or workflow (continuations of runs).';
comment on column queue.queue.dead_letter_queue is 'Queue that messages move to after max_receives deliveries.';

create table queue.deduplication (
  expires_at       timestamptz not null,
  msg_id           bigint not null,
  queue_name       text not null,
  deduplication_id text not null,
  constraint deduplication_pkey primary key (queue_name, deduplication_id)
) with (
  fillfactor = 80,
  autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 2000, autovacuum_vacuum_cost_delay = 0
);

create index deduplication_expiry on queue.deduplication (expires_at);

comment on table queue.deduplication is
  'Deduplication ids that send_fifo() has seen of late. Expired rows are reused, and swept a few at a time by later sends.';
comment on column queue.deduplication.expires_at is 'From when on the id may be used again.';
comment on column queue.deduplication.msg_id is 'The message that was sent with the id.';
comment on column queue.deduplication.queue_name is 'The queue; an id counts within its queue.';
comment on column queue.deduplication.deduplication_id is 'As given to send_fifo().';
$migration_1$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 1, 'queue');
  end if;

  if v_current < 2 then
    execute $migration_2$
-- Runs, their journals, and signals that came before their wait.
--
-- A run's one message, its continuation, is in the queue table q___wf_<name>, made at the first start of a
-- workflow. Here is what outlives it. No foreign key ties steps to runs: it would lock the run's row at
-- every step; check_invariants() looks for orphans instead.

create type queue.workflow_status as enum ('running', 'completed', 'failed', 'cancelled');

create table queue.workflow_run (
  run_id           bigint generated by default as identity (cache 100),
  started_at       timestamptz not null,
  completed_at     timestamptz,
  expires_at       timestamptz,
  deadline         timestamptz,
  ended_by         bigint,
  retention_days   integer not null,
  workflow_version integer not null,
  status           queue.workflow_status not null,
  workflow_name    text not null,
  idempotency_key  text,
  input            jsonb,
  output           jsonb,
  error            jsonb,
  tags             jsonb,
  constraint workflow_run_pkey primary key (run_id),
  constraint run_id_fits_in_a_receipt check (run_id between 1 and 8796093022207),
  constraint version_is_positive check (workflow_version > 0),
  constraint retention_is_not_negative check (retention_days >= 0),
  constraint ended_run_has_completed_at check ((status = 'running') = (completed_at is null)),
  constraint ended_run_expires check ((completed_at is null) = (expires_at is null)),
  constraint only_completed_run_has_output check (output is null or status = 'completed')
) with (fillfactor = 85, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

create unique index workflow_run_idempotency_key on queue.workflow_run (workflow_name, idempotency_key)
  where idempotency_key is not null;
create index workflow_run_expiry on queue.workflow_run (expires_at)
  where expires_at is not null;

comment on table queue.workflow_run is
  'One row a run, from its start until the sweeper deletes it. What a running run is doing is told by its continuation in queue.q___wf_<workflow_name>.';
comment on column queue.workflow_run.run_id is 'Identity of the run; also the msg_id of its continuation.';
comment on column queue.workflow_run.started_at is 'When workflow_start was called, by the database''s clock.';
comment on column queue.workflow_run.completed_at is 'When the run ended, whichever way; null while it runs.';
comment on column queue.workflow_run.expires_at is 'From when on the sweeper may delete the ended run: completed_at plus retention_days.';
comment on column queue.workflow_run.deadline is 'When a run that is still running fails with DeadlineExceeded; null: never.';
comment on column queue.workflow_run.ended_by is 'Receipt of the commit that ended the run, so that its repetition after a lost answer is recognised.';
comment on column queue.workflow_run.retention_days is 'Days that the ended run is kept; fixed at the start.';
comment on column queue.workflow_run.workflow_version is 'Version of the definition that the run started with and stays with.';
comment on column queue.workflow_run.status is 'running, completed, failed or cancelled.';
comment on column queue.workflow_run.workflow_name is 'Name of the workflow; its queue is __wf_<workflow_name>.';
comment on column queue.workflow_run.idempotency_key is 'A second start of the workflow with this key finds this run.';
comment on column queue.workflow_run.input is 'What the run was started with.';
comment on column queue.workflow_run.output is 'What the body of a completed run returned.';
comment on column queue.workflow_run.error is 'Why a failed or cancelled run ended: name, message, code, cause.';
comment on column queue.workflow_run.tags is 'Whatever the starter wants to find the run by.';

create table queue.workflow_step (
  run_id       bigint not null,
  started_at   timestamptz not null,
  completed_at timestamptz not null,
  position     integer not null,
  attempts     integer not null,
  step_name    text not null,
  kind         text not null,
  output       jsonb,
  error        jsonb,
  constraint workflow_step_pkey primary key (run_id, step_name),
  constraint step_kind_is_known check (kind in ('run', 'sleep', 'wait')),
  constraint step_has_output_or_error check (output is null or error is null)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_step is
  'The journal: one row a finished step. Rows are only ever inserted, the first commit of a step wins, and they leave with their run.';
comment on column queue.workflow_step.run_id is 'The run.';
comment on column queue.workflow_step.started_at is 'completed_at less the time that the last call of the callback took.';
comment on column queue.workflow_step.completed_at is 'When the row was committed.';
comment on column queue.workflow_step.position is 'Place in the run''s journal, from 1: the order in which a replay hands the values to the body. The clock does not decide it, since clocks are set back.';
comment on column queue.workflow_step.attempts is 'How many times the callback was called.';
comment on column queue.workflow_step.step_name is 'Name of the step, unique within the run.';
comment on column queue.workflow_step.kind is 'run, sleep or wait.';
comment on column queue.workflow_step.output is 'What the step returned, or the payload of the event; null where there was nothing, or a wait timed out.';
comment on column queue.workflow_step.error is 'Why the step failed for good; its body may have caught that.';

create table queue.workflow_buffered_signal (
  signal_id   bigint generated always as identity,
  run_id      bigint not null,
  received_at timestamptz not null,
  event       text not null,
  payload     jsonb,
  constraint workflow_buffered_signal_pkey primary key (run_id, signal_id)
) with (autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_cost_delay = 0);

comment on table queue.workflow_buffered_signal is
  'Signals that came while no wait of their run matched them; taken in arrival order by the next wait that does.';
comment on column queue.workflow_buffered_signal.signal_id is 'Arrival order.';
comment on column queue.workflow_buffered_signal.run_id is 'The run that was signalled.';
comment on column queue.workflow_buffered_signal.received_at is 'When workflow_signal was called.';
comment on column queue.workflow_buffered_signal.event is 'Name of the event.';
comment on column queue.workflow_buffered_signal.payload is 'What was sent along.';
$migration_2$;
    insert into queue.migration (applied_at, version, name) values (clock_timestamp(), 2, 'workflow');
  end if;

  return greatest(v_latest - v_current, 0);
end
$function$;

comment on function queue.migrate() is
$comment$Brings the tables up to the functions: applies the migrations that this database lacks, in this transaction.
Several callers wait for each other; the second finds nothing to do. The tables belong to the caller, never to the extension, so that pg_dump keeps their rows.
Returns how many migrations it applied; 0 when there was nothing to do.
Errors: OX006 called by an extension script, or by a role that may not create tables in schema queue.
Touches: an advisory lock, migration, and whatever the migrations change.$comment$;

create function queue.protocol_version()
returns integer
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select 1
$function$;

comment on function queue.protocol_version() is
$comment$Tells which protocol the functions speak. It grows only when workers of before can no longer work with them.
Returns a number from 1.
Touches: nothing.$comment$;

create function queue.version()
returns text
language sql
immutable
parallel safe
set search_path = pg_catalog, pg_temp
as $function$
  select '0.1.0'
$function$;

comment on function queue.version() is
$comment$Tells the version of the functions in this schema.
Returns a version as in "0.1.0".
Touches: nothing.$comment$;

revoke all on all functions in schema queue from public;
