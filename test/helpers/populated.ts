/** A database in which there is something of everything, and calls of functions with values that fit it. */
import type pg from "pg";
import { createDatabase, type TestDatabase } from "./database.ts";
import { createDefinition, documentOf, publishDefinition } from "./definitions.ts";
import { only } from "./queues.ts";
import { protectedResources } from "./resources.ts";
import { Runs } from "./runs.ts";
import { listening, receive } from "./triggers.ts";

export interface RoleFunction {
  readonly name: string;
  readonly parameters: readonly { readonly name: string; readonly type: string }[];
}

/** Expressions by the name of a parameter, or by function and parameter (`send.queue`). */
export type Values = Readonly<Record<string, string>>;

export interface Populated {
  readonly database: TestDatabase;
  readonly values: Values;
}

export async function populate(database?: TestDatabase): Promise<Populated> {
  const on = database ?? (await createDatabase());
  const ask = async (statement: string): Promise<string> =>
    String(Object.values((await on.query(statement))[0] ?? {})[0]);
  await on.query(QUEUES);
  const runs = await startRuns(on, ask);
  const definition = await makeDefinitions(on);
  const { type, table } = await protectedResources(on, ["one"]);
  await on.query(REST);
  const values: Values = {
    ...PLAIN,
    ...runs,
    ...definition,
    type: `'${type}'`,
    id: "'one'",
    source: `'${table}'`,
    resources: `'[{"type": "${type}", "id": "one"}]'`,
    receipts: `array[${await ask("select receipt from queue.receive('orders')")}]`,
    receipt: await ask("select receipt from queue.receive_fifo('carts')"),
    subscription_id: await ask("select subscription_id from queue.list_subscriptions('paid')"),
    token: `'${await ask(`select queue.approval_link(${runs.approval_id}, 'ada')`)}'`,
    hash: `'${await ask(`select queue.definition_snapshot('{"format": 1}')`)}'`,
    letter_ids: "array[1]",
    endpoint_id: await ask("select endpoint_id from queue.endpoints()"),
    delivery_ids: "array[1]",
    delivery_id: "'1'",
    "deliveries_get.delivery_id": "1",
    "schedule_tick.receipt": await ask("select receipt from queue.schedule_receive()"),
    "delivery_retry.receipt": await ask("select receipt from queue.deliveries_receive()"),
  };
  return { database: on, values };
}

const QUEUES = `
  select queue.create_queue('letters');
  select queue.create_queue('orders', max_receives => 3, dead_letter_queue => 'letters');
  select queue.create_queue('carts', fifo => true);
  select queue.sqs_tag_queue('orders', '{"team": "a"}');
  select queue.send('orders', '{"n": 1}') from generate_series(1, 3);
  select queue.send('letters', '{"n": 1}');
  select queue.send_fifo('carts', '{"n": 1}', 'g') from generate_series(1, 3);
  select queue.subscribe('paid', 'http', 'https://ada:secret-password@example.org/hook');
  select queue.subscribe('paid', 'queue', 'orders');
  select queue.send_topic('paid', '{"n": 1}')`;

const REST = `
  select queue.schedule_create('hourly', 'billing', every_seconds => 3600);
  select queue.schedule_trigger('hourly');
  select queue.definition_config_set('limit', '1');
  select queue.node_types_register('default', '[{"type": "a@1", "params": {}}]');
  select queue.endpoint_add('https://ada:secret-password@example.org/api/oxbow');
  select queue.capture_request(1, 'k', 'https://example.org', '{}', '{}');
  select queue.workflow_report_worker('${"0".repeat(8)}-0000-4000-8000-${"0".repeat(12)}', 'h', 1, '1.0.0', '{"billing": [1]}', 10, 1)`;

/** Runs of two workflows: one on a worker, one that waits for an approval, one that ended, one that is ready. */
async function startRuns(
  on: TestDatabase,
  ask: (statement: string) => Promise<string>,
): Promise<Record<"run_id" | "approval_id", string> & Values> {
  const billing = new Runs(on, "billing");
  const waits = await billing.start();
  const delivery = await billing.receiveOne();
  await on.query(
    `select queue.workflow_commit(array['billing'], array[${waits}], array[${delivery.receipt}], array['suspend'],
       array['{"waits": [{"kind": "event", "step": "review", "event": " approval:review", "approval": true}],
         "retries": [], "journaled": 1}'::jsonb], null, array[1], array[1], array['charge'], array['run'],
       array['"secret-output"'::jsonb], null, array[1], array[1],
       state_items => array[1], state_keys => array['k'], state_values => array['"secret-state"'::jsonb],
       stream_items => array[1], stream_steps => array['charge'], stream_attempts => array[1], stream_numbers => array[1],
       stream_chunks => array['"secret-chunk"'::jsonb],
       effect_items => array[1], effect_kinds => array['approval'], effect_steps => array['review'],
       effect_targets => array[null], effect_events => array[null],
       effect_values => array['{"title": "Ship?", "approvers": ["ada"]}'::jsonb],
       effect_versions => array[null::integer], effect_retention => array[null::integer],
       effect_traces => array[null::jsonb])`,
  );
  await on.query("select queue.workflow_cancel($1)", [await new Runs(on, "ended").start()]);
  await on.query(
    "select queue.workflow_start('ready', '\"secret-input\"', idempotency_key => 'k')",
  );
  const leased = new Runs(on, "leased");
  await leased.start();
  const held = await leased.receiveOne();
  return {
    run_id: waits,
    approval_id: await ask("select approval_id from queue.approval_list()"),
    names: "array['leased']",
    run_ids: `array[${held.run_id}]`,
    "workflow_commit.receipts": `array[${held.receipt}]`,
    "workflow_heartbeat.receipts": `array[${held.receipt}]`,
    "workflow_report_progress.receipts": `array[${held.receipt}]`,
    "workflow_commit_tx.run_id": held.run_id,
    "workflow_commit_tx.receipt": held.receipt,
    "workflow_complete_step.run_id": held.run_id,
    ack_receipt: held.receipt,
    "hand_over_run.run_id": waits,
  };
}

/** One with an event on a worker, one with a hook, and one draft. */
async function makeDefinitions(on: TestDatabase): Promise<Values> {
  const { name, pool, topic } = await listening(on, { topic: "declared" });
  const hook = await listening(on, { pool, trigger: { on: "webhook", verify: "github" } });
  const revision = await createDefinition(on, documentOf("draft", "secret-draft"));
  await publishDefinition(on, "draft", revision);
  await on.query("select queue.definition_test('draft', input => '\"secret-test\"')");
  await on.query('select queue.send_topic($1, \'{"n": "secret-event"}\')', [topic]);
  const { events } = await receive(on, pool);
  const { hook_id: hookId } = only(
    await on.query<{ hook_id: string }>("select hook_id from queue.trigger_hooks($1)", [hook.name]),
  );
  const document = `'${JSON.stringify(documentOf("draft", 2))}'`;
  return {
    pool: `'${pool}'`,
    definition: `'${name}'`,
    hook_id: `'${hookId}'`,
    event_id: events[0]?.eventId ?? "",
    "trigger_explain.name": `'${name}'`,
    "trigger_events.name": `'${name}'`,
    "trigger_commit.events": `'[{"receipt": "${events[0]?.receipt ?? ""}", "state": "evaluated"}]'`,
    document,
    documents: `array[${document}::jsonb]`,
    "definition_documents.names": "array['draft']",
    "definition_create.name": "'created'",
    "definition_create.document": `'${JSON.stringify(documentOf("created"))}'`,
    ...Object.fromEntries(
      DEFINITION_FUNCTIONS.map((caller) => [`${caller}.name`, "'draft'"] as const),
    ),
  };
}

const DEFINITION_FUNCTIONS =
  "apply archive configure delete delete_test get list migrate move pause publish restore resume save_draft start test versions"
    .split(" ")
    .map((name) => `definition_${name}`);

const PLAIN: Values = {
  name: "'ready'",
  "get_queue.name": "'orders'",
  "queue_stats.name": "'orders'",
  "queue_depths.name": "'orders'",
  "create_queue.name": "'created'",
  "create_queue.dead_letter_queue": "'letters'",
  queue: "'orders'",
  dead_letter_queue: "'letters'",
  "send_fifo.queue": "'carts'",
  "receive_fifo.queue": "'carts'",
  "delete.queue": "'carts'",
  "change_visibility.queue": "'carts'",
  "hand_over_group.queue": "'carts'",
  message_group_id: "'g'",
  delay_seconds: "0",
  visibility_timeout: "30",
  max_messages: "10",
  workflow: "'billing'",
  topic: "'paid'",
  pattern: "'paid'",
  target_type: "'queue'",
  target: "'orders'",
  role_name: "'oxbow_reader'",
  privilege: "'send'",
  decision: "'approved'",
  actor: "'ada'",
  idempotency_key: "'k'",
  key: "'k'",
  event: "'e'",
  on_running: "'use-existing'",
  on_ended: "'use-existing'",
  catch_up: "'latest'",
  overlap: "'allow'",
  mode: "'live'",
  timers: "'fire'",
  time_zone: "'UTC'",
  cron: "null",
  every_seconds: "60",
  "schedule_create.name": "'created'",
  "schedule_delete.name": "'hourly'",
  "schedule_pause.name": "'hourly'",
  "schedule_resume.name": "'hourly'",
  "schedule_trigger.name": "'hourly'",
  "schedule_list.name": "'hourly'",
  "definition_config_set.name": "'limit'",
  "definition_config_delete.name": "'limit'",
  filter: `'{"name": "billing"}'`,
  retention_days: "30",
  retention_hours: "24",
  types: `'[{"type": "a@1", "params": {}}]'`,
  "trigger_declare.types": "'[]'",
  transitions: "array['suspend']",
  results: `array['{"waits": [], "retries": [], "journaled": 0}'::jsonb]`,
  matches: "'[]'",
  table_names: "null",
  id_columns: "null",
  input_schemas: "null",
  serves: `'{"billing": [1]}'`,
  slots: "10",
  "move_slots.slots": "array[1]",
  "hand_over_route.slots": "null",
  "route_obstacles.slots": "null",
  shard: "'b'",
  "outbox_take.target": "'b'",
  "outbox_done.target": "1",
  "hand_over_route.target": "'b'",
  "hand_over_run.target": "'b'",
  "accept.target": "0",
  "accept.source": "1",
  kinds: "array['cancel']",
  causes: "array['c']",
  bodies: `array['{"run": 1}'::jsonb]`,
  outcomes: "array['ok']",
  map: `'{"fleetId": "00000000-0000-4000-8000-000000000000", "shards": []}'`,
  route: "null",
  routes: "null",
  follow_keys: "null",
  priority: "null",
  priorities: "null",
  flow_key: "null",
  flow_keys: "null",
  "workflow_start_batch.delay_seconds": "array[0]",
  "workflow_start_batch.retention_days": "array[30]",
  "workflow_start_batch.deadline_seconds": "null",
  "workflow_start_batch.on_running": "null",
  "workflow_start_batch.on_ended": "null",
  "workflow_register.retention_days": "array[30]",
  "workflow_register.deadline_seconds": "array[60]",
  on_failure: "null",
  deadline_seconds: "60",
  input_schema: "null",
  step_errors: "null",
  steps: `array['[]'::jsonb]`,
  step_kinds: "array['run']",
  step_durations: "array[1]",
  catch_up_limit: "null",
  "drop_queue.name": "'carts'",
  "pin_route.route": "'r'",
  "home_of.route": "'r'",
  "workflow_start_elsewhere.route": "'k'",
  "route_obstacles.route": "'r'",
  "hand_over_route.route": "'r'",
  "shard_identity.routes": "array['r']",
  "unsubscribe.id": "1",
  "get_subscription.id": "1",
  "enable_subscription.id": "1",
  "purge_queue.name": "'orders'",
  from_step: "null",
  "workflow_commit.effect_kinds": "array['detach']",
  effect_steps: "array['y']",
  effect_values: `array['{}'::jsonb]`,
  grace_seconds: "60",
  days: "100",
  bounds: "array[1.0]",
  worker_id: "'00000000-0000-4000-8000-000000000000'",
  state: "null",
  url: "'https://example.org/api/oxbow'",
  sqs_name: "'orders'",
  "sqs_create_queue.settings": "'{}'",
  "sqs_set_attributes.settings": "'{}'",
  "sqs_purge_queue.sqs_name": "'letters'",
  "sqs_start_move.source": "'letters'",
  "sqs_start_move.target": "null",
  "sqs_list_moves.source": "'letters'",
  "sqs_cancel_move.source": "'letters'",
  dead_letter_to: "null",
  "approval_list.status": "'waiting'",
  "deliveries_list.status": "'waiting'",
  known_epoch: "null",
  decisions: "null",
  step_decisions: "null",
  next_msg: "null",
  error: "null",
  layout: "'{}'",
  revision: "1",
  scope: "'{}'",
};

/** For a parameter that no value is named for. */
const BY_TYPE: Values = {
  text: "'x'",
  name: "'x'",
  integer: "1",
  bigint: "1",
  numeric: "1",
  "double precision": "1",
  boolean: "true",
  jsonb: "'{}'",
  json: "'{}'",
  interval: "'1 second'",
  uuid: "'00000000-0000-4000-8000-000000000000'",
  "timestamp with time zone": "clock_timestamp()",
};

/** @param values Of parameters; `null` for each that is to be null. */
export function callOf({ name, parameters }: RoleFunction, values: Values): string {
  const given = parameters.map(({ name: parameter, type }) => {
    const value = values[`${name}.${parameter}`] ?? values[parameter] ?? defaultOf(type);
    return `${parameter} => ${value}::${type}`;
  });
  return `select * from queue.${name}(${given.join(", ")})`;
}

function defaultOf(type: string): string {
  const element = type.replace(/\[\]$/, "");
  const value = BY_TYPE[element];
  if (value === undefined) throw new Error(`BY_TYPE has no value for ${type}`);
  return element === type ? value : `array[${value}]`;
}

/** The functions that a role may call. */
export function functionsOf(database: TestDatabase, role: string): Promise<RoleFunction[]> {
  return database.query<RoleFunction & pg.QueryResultRow>(
    `select p.proname as name, coalesce(jsonb_agg(
       jsonb_build_object('name', p.proargnames[a.position], 'type', format_type(a.type, null))
       order by a.position
     ) filter (where a.type is not null), '[]') as parameters
     from pg_proc as p
     left join lateral unnest(p.proargtypes::oid[]) with ordinality as a (type, position) on true
     where p.pronamespace = 'queue'::regnamespace
       and p.proname !~ '^_'
       and has_function_privilege($1, p.oid, 'execute')
     group by p.oid
     order by p.proname`,
    [role],
  );
}

export interface Attempt {
  /** The SQLSTATE; null if the call was not refused. */
  readonly code: string | null;
  readonly message: string;
  readonly rows: readonly Readonly<Record<string, unknown>>[];
  /** Tables that it wrote to, of a call that was not refused. */
  readonly written: readonly string[];
}

const WRITES = `select coalesce(jsonb_object_agg(relname, n_tup_ins + n_tup_upd + n_tup_del), '{}') as counts
  from pg_stat_xact_user_tables
  where schemaname = 'queue'`;

const countsOf = (answer: pg.QueryResult | undefined): Readonly<Record<string, number>> =>
  (answer?.rows[0] as { readonly counts: Record<string, number> } | undefined)?.counts ?? {};

/** Makes the call as the role, and takes back what it did. */
export async function attempt(client: pg.Client, role: string, call: string): Promise<Attempt> {
  try {
    // The server adds counts of earlier transactions until it has reported them. One message takes a third of the time.
    const answers = (await client.query(
      `begin; ${WRITES}; set local role ${role}; ${call}; reset role; ${WRITES}`,
    )) as unknown as pg.QueryResult<Record<string, unknown>>[];
    const [before, after] = [countsOf(answers[1]), countsOf(answers[5])];
    const written = Object.keys(after).filter((name) => after[name] !== (before[name] ?? 0));
    return { code: null, message: "", rows: answers[3]?.rows ?? [], written };
  } catch (error) {
    const { code, message } = error as pg.DatabaseError;
    if (code === undefined) throw error;
    return { code, message, rows: [], written: [] };
  } finally {
    await client.query("rollback");
  }
}
