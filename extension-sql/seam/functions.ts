/**
 * The SQL functions that the SDK calls, by the room of their noun, and what differs from the rule: a call takes the
 * parameters of its function in their order, and its rows have the columns of the type under names in camel case.
 */

interface ColumnRule {
  /** Name in the row. */
  readonly as?: string;
  /** TypeScript type of the value, if the SQL type is too broad. */
  readonly type?: string;
  /** SQL of the value. */
  readonly sql?: string;
}

export interface RowRules {
  /** Columns that the SDK reads; default: all. */
  readonly only?: readonly string[];
  readonly columns?: Readonly<Record<string, ColumnRule>>;
  /** Columns that the SDK makes of others, by their name in the row. */
  readonly add?: Readonly<Record<string, Required<Pick<ColumnRule, "type" | "sql">>>>;
}

export interface CallRules {
  /** Name of the call, if another room has one of the same function with other rules. Default: that of the function. */
  readonly as?: string;
  readonly row?: RowRules;
  /** TypeScript type of a scalar, if the SQL type is too broad. `number` of a bigint casts it. */
  readonly value?: string;
  /** One row of all that a set of scalars has, which `value` stands for. Its name is in snake case. */
  readonly aggregate?: { readonly name: string; readonly columns: RowRules["add"] };
  /** Arrays that the SDK writes as Postgres does, `{1,2}`, since no element of them needs quotes. */
  readonly asText?: readonly string[];
  /** Parameters that are left to their defaults. */
  readonly leaveOut?: readonly string[];
  /** Null means the default of a parameter. */
  readonly nullIsDefault?: true;
  /** SQL of parameters that the SDK doesn't vary. */
  readonly fixed?: Readonly<Record<string, string>>;
  /** SQL of parameters, with `$` for the value as text. */
  readonly convert?: Readonly<Record<string, string>>;
  /** Calls the function for each of an array of this parameter. */
  readonly each?: string;
}

/** Counts fit a number, unlike ids. */
const counts = (...columns: readonly string[]): Readonly<Record<string, ColumnRule>> =>
  Object.fromEntries(
    columns.map((column) => [column, { type: "number", sql: `${column}::float8` }]),
  );
const epochMs = (column: string): ColumnRule => ({
  type: "number",
  sql: `extract(epoch from ${column})::float8 * 1000`,
});
const secondsAsMs = (column: string, as: string): ColumnRule => ({
  as,
  type: "number",
  sql: `${column}::float8 * 1000`,
});

const HAS_INPUT = { type: "boolean", sql: "input is not null" };
const HAS_OUTPUT = { type: "boolean", sql: "output is not null" };

/** Cursor of a run in a list: its start, in microseconds as the database has it, and its id. */
const cursor = (startedAt: string, runId: string): string =>
  `(extract(epoch from ${startedAt}) * 1000000)::bigint || '-' || ${runId}`;
const CURSOR = { type: "string", sql: cursor("started_at", "run_id") };
const CURSOR_TIME = "timestamptz 'epoch' + $::bigint * interval '1 microsecond'";

const CHANGE: CallRules = {
  convert: { before_started_at: CURSOR_TIME },
  row: {
    only: ["changed", "before"],
    columns: { before: { type: "string", sql: cursor("before_started_at", "before") } },
  },
};

/** Settles receipts, and returns the living ones only if some were dead, which is rare. */
const SETTLE: CallRules = {
  asText: ["receipts"],
  aggregate: {
    name: "settled_receipts",
    columns: {
      alive: { type: "number", sql: "count(*)::float8" },
      receipts: {
        type: "string | null",
        sql: "case when count(*) < cardinality($2::bigint[]) then string_agg(value::text, ',') end",
      },
    },
  },
};

/** As a rule, all is committed, and nothing is resolved: a row for each run would be most of what a worker reads. */
const COMMIT: CallRules = {
  asText: [
    "run_ids",
    "receipts",
    "transitions",
    "step_items",
    "step_positions",
    "step_kinds",
    "step_attempts",
    "step_durations",
  ],
  row: {
    only: [],
    add: {
      runs: { type: "number", sql: "count(*)::float8" },
      exceptions: {
        type: "readonly UncommonCommit[] | null",
        sql: `jsonb_agg(jsonb_build_object('runId', run_id::text, 'outcome', outcome, 'resolved', resolved)) filter (where outcome <> 'ok' or resolved is not null)`,
      },
    },
  },
};

const ERROR = { error: { type: "ErrorRecord" } };

const DOCUMENT = { type: "Readonly<Record<string, unknown>>" };
const LISTED = { ...ERROR, parent_run_id: { as: "parent" } };

const HEADERS = { type: "Readonly<Record<string, unknown>>" };

/** Arrays as JSON, since the SDK leaves arrays of text unparsed. */
const namesOf = (column: string): ColumnRule => ({
  type: "readonly string[]",
  sql: `to_jsonb(${column})`,
});

const APPROVAL: RowRules = {
  columns: {
    approval_id: { as: "id" },
    workflow_name: { as: "workflow" },
    step_name: { as: "step" },
    approvers: namesOf("approvers"),
  },
};

const VERSION: RowRules = {
  columns: {
    deadline_seconds: secondsAsMs("deadline_seconds", "deadlineMs"),
    input_schema: DOCUMENT,
  },
};

/** Versions by workflow. */
const SERVING: RowRules = {
  columns: { serves: { type: "Readonly<Record<string, readonly number[]>>" } },
};

const QUEUE: RowRules = {
  only: [
    "name",
    "kind",
    "visibility_timeout",
    "max_receives",
    "dead_letter_queue",
    "created_at",
    "retention_seconds",
    "delay_seconds",
    "deduplication_scope",
    "sqs_name",
  ],
  columns: {
    kind: { as: "fifo", type: "boolean", sql: "kind = 'fifo'" },
    visibility_timeout: secondsAsMs("visibility_timeout", "visibilityTimeoutMs"),
    retention_seconds: secondsAsMs("retention_seconds", "retentionMs"),
    delay_seconds: secondsAsMs("delay_seconds", "delayMs"),
  },
};

/** Arrays as Postgres writes them, which the other end reads again. */
const asWritten = (column: string): ColumnRule => ({ type: "string", sql: `${column}::text` });

const OUTBOX_BATCH: RowRules = {
  columns: {
    read_at: { type: "string", sql: "read_at::text" },
    item_ids: asWritten("item_ids"),
    kinds: asWritten("kinds"),
    causes: asWritten("causes"),
    bodies: asWritten("bodies"),
  },
  add: { size: { type: "number", sql: "cardinality(item_ids)" } },
};

const ACCEPTANCE: RowRules = {
  columns: { outcomes: asWritten("outcomes"), problems: asWritten("problems") },
};

/** Functions of each room of the SDK, and their rules. */
export const CALLS: Readonly<Record<string, Readonly<Record<string, CallRules>>>> = {
  runs: {
    workflow_start_batch: {
      row: { columns: { started_at: epochMs("started_at"), deadline: epochMs("deadline") } },
    },
    workflow_start_elsewhere: {},
    workflow_signal: { value: '"delivered" | "buffered" | "ignored" | "sent"' },
    workflow_signal_with_start: {},
    workflow_pause: {},
    workflow_resume: {},
    workflow_retry: {},
    workflow_cancel: {},
    workflow_rerun: {},
    workflow_of: { value: "string | null" },
    workflow_get: {
      each: "run_id",
      row: { columns: LISTED, add: { hasInput: HAS_INPUT, hasOutput: HAS_OUTPUT } },
    },
    workflow_marks: {},
    workflow_explain: {},
    workflow_journal: { row: { columns: ERROR, add: { hasOutput: HAS_OUTPUT } } },
    workflow_state: {},
    workflow_stream: {},
    workflow_list: {
      convert: { before_started_at: CURSOR_TIME },
      row: { columns: LISTED, add: { cursor: CURSOR } },
    },
    workflow_export: { row: { columns: LISTED, add: { cursor: CURSOR } } },
    workflow_children: {
      convert: { after_started_at: CURSOR_TIME },
      row: { columns: { parent_step: { as: "step" } }, add: { cursor: CURSOR } },
    },
    workflow_generations: {},
    workflow_count: { value: "number" },
    workflow_sum: {
      row: {
        columns: { ...counts("runs"), sums: { type: "Readonly<Record<string, number>>" } },
      },
    },
    workflow_cancel_all: CHANGE,
    workflow_pause_all: CHANGE,
    workflow_resume_all: CHANGE,
    workflow_retry_all: CHANGE,
    workflow_rerun_all: CHANGE,
    workflow_delete: {},
    workflow_delete_all: CHANGE,
    workflow_update: {},
    workflow_sweep: {},
    workflow_set_max_retention: {},
    workflow_expire: {},
  },
  workflows: {
    workflow_register: {},
    workflow_unregister: {},
    workflow_versions: { row: VERSION },
    workflow_tools: { row: VERSION },
    workflow_report_worker: {},
    workflow_remove_worker: {},
    workflow_workers: { row: SERVING },
    workflow_tally: { row: { columns: counts("running", "completed", "failed", "cancelled") } },
  },
  worker: {
    workflow_receive: {
      row: {
        columns: {
          started_at: epochMs("started_at"),
          received_at: epochMs("received_at"),
          deadline: epochMs("deadline"),
          ...counts("bytes"),
        },
        add: { hasInput: HAS_INPUT },
      },
    },
    workflow_journal_page: {},
    workflow_commit: COMMIT,
    workflow_commit_tx: { value: '"ok" | "repeated" | "lost" | "cancelled"' },
    workflow_heartbeat: { fixed: { report_busy: "true" } },
    workflow_report_progress: {},
  },
  "flow-control": {
    flow_charge: { value: "Date | null" },
    workflow_set_flow_control: { value: '"created" | "changed" | "unchanged" | "kept"' },
    workflow_flow_control: {
      row: { columns: { settings: HEADERS, ...counts("admitted", "queued") } },
    },
  },
  queues: {
    create_queue: {},
    alter_queue: { row: QUEUE },
    drop_queue: {},
    purge_queue: { value: "number" },
    list_queues: { row: QUEUE },
    get_queue: { row: QUEUE },
    queue_stats: {
      row: {
        only: ["visible", "in_flight", "delayed", "groups", "total_sent", "oldest_message_age"],
        columns: {
          ...counts("visible", "in_flight", "delayed", "groups", "total_sent"),
          oldest_message_age: { as: "oldestMessageAgeMs", ...epochMs("oldest_message_age") },
        },
      },
    },
    dead_letter_queues: {},
    queue_depths: { row: { columns: counts("visible", "in_flight", "delayed") } },
    queue_depths_sample: { leaveOut: ["max_queues", "retention_hours"] },
    send_batch: {},
    send_fifo: {},
    send_fifo_batch: { row: { columns: { msg_id: { as: "id" } } } },
    peek: {
      row: {
        columns: {
          msg_id: { as: "id" },
          read_ct: { as: "receiveCount" },
          message_group_id: { as: "groupId" },
          message: { as: "body" },
          headers: HEADERS,
        },
      },
    },
    change_visibility_batch: SETTLE,
    delete_batch: SETTLE,
    give_back_batch: SETTLE,
    redrive: { value: "number" },
    move_messages: { value: "number" },
  },
  topics: {
    subscribe: {},
    unsubscribe: {},
    enable_subscription: {},
    list_subscriptions: { row: { columns: { subscription_id: { as: "id" } } } },
    get_subscription: { row: { columns: { subscription_id: { as: "id" } } } },
    captured_deliveries: { nullIsDefault: true, row: { columns: { capture_id: { as: "id" } } } },
    topic_dead_letters: { nullIsDefault: true, row: { columns: { letter_id: { as: "id" } } } },
    topic_targets: {},
    redrive_topic_dead_letters: { value: "number" },
    delete_topic_dead_letters: {},
    send_topic: {},
    deliveries_receive: {
      row: {
        columns: {
          msg_id: { as: "messageId" },
          read_ct: { as: "attempt" },
          enqueued_at: { as: "publishedAt" },
          headers: HEADERS,
        },
      },
    },
    deliveries_succeeded: {},
    deliveries_give_back: {},
    deliveries_list: { row: { columns: { delivery_id: { as: "id" } } } },
    deliveries_get: {
      row: {
        columns: {
          delivery_id: { as: "id" },
          headers: HEADERS,
          earlier_attempts: { type: "readonly Readonly<Record<string, unknown>>[]" },
        },
      },
    },
    deliveries_resend: { row: { columns: { delivery_id: { as: "id" } } } },
    deliveries_sweep: {},
    delivery_failed: {},
    delivery_retry: {},
    delivery_abandon: {},
  },
  schedules: {
    schedule_create: { nullIsDefault: true, value: '"created" | "changed" | "unchanged"' },
    schedule_delete: {},
    schedule_pause: {},
    schedule_resume: {},
    schedule_trigger: {},
    schedule_list: {
      row: {
        columns: {
          jitter_seconds: secondsAsMs("jitter_seconds", "jitterMs"),
          grace_seconds: secondsAsMs("grace_seconds", "graceMs"),
        },
      },
    },
    schedule_receive: { row: { only: ["receipt", "visible_at", "message"] } },
    schedule_tick: {
      row: {
        columns: {
          run_ids: { type: "readonly (string | null)[]", sql: "to_jsonb(run_ids::text[])" },
        },
      },
    },
  },
  approvals: {
    approval_get: { row: APPROVAL },
    approval_list: { row: APPROVAL },
    approval_decide: { value: '"delivered" | "counted" | "decided" | "expired"' },
    approval_link: {},
    approval_of_link: {
      row: { columns: { actor_groups: { ...namesOf("actor_groups"), as: "groups" } } },
    },
  },
  endpoints: {
    endpoint_add: { nullIsDefault: true, row: SERVING },
    endpoints: { row: SERVING },
    endpoint_get: { row: SERVING },
    endpoint_sync: { row: SERVING },
    endpoint_pause: {},
    endpoint_resume: {},
    endpoint_remove: {},
    endpoints_to_check: { row: SERVING },
    endpoint_checked: {},
    endpoint_failed: {},
    endpoints_to_push: { row: SERVING },
  },
  fork: {
    incarnation: {
      row: { columns: { incarnation_id: { as: "id" }, became_at: { as: "since" } } },
    },
    release_incarnation: {
      row: {
        columns: { incarnation_id: { as: "id" }, ...counts("leases", "timers", "captured") },
      },
    },
  },
  shards: {
    fleet_map: { value: "OwnFleetMap | null" },
    shard_identity: {
      row: { columns: { homes: { type: "readonly (string | null)[]", sql: "to_jsonb(homes)" } } },
    },
    shard_candidate: {
      row: { columns: { used_slots: { type: "readonly number[]", sql: "to_jsonb(used_slots)" } } },
    },
    join_fleet: {},
    hand_over_run: {},
    hand_over_route: { leaveOut: ["max_runs"], row: {} },
    route_obstacles: { leaveOut: ["max_runs"], row: {} },
    pin_route: { value: "string | null" },
    move_slots: { value: "string | null" },
    drain_shard: {},
    drain_runs: { leaveOut: ["max_runs"], row: {} },
    hold_relays: {},
    add_shard: {},
    open_shard: {},
    run_whereabouts: {},
    leaving_groups: {
      leaveOut: ["max_groups"],
      row: { columns: { message_group_id: { as: "groupId" } } },
    },
    hand_over_group: { value: '"moved" | "waiting" | "busy" | "kept"' },
    outbox_pending: {},
    outbox_take: { leaveOut: ["max_items"], row: OUTBOX_BATCH },
    outbox_done: { asText: ["item_ids", "outcomes", "problems"] },
    accept: { asText: ["item_ids", "kinds", "causes", "bodies"], row: ACCEPTANCE },
    outbox_rejected: { row: { columns: { item_id: { as: "id" } } } },
    outbox_repeat: { value: "number" },
    definition_list: { as: "definition_names", row: { only: ["name"] } },
    shard_lag: { row: { columns: counts("items", "rejected") } },
  },
  audit: {
    audit_list: {
      convert: { before_acted_at: CURSOR_TIME },
      row: {
        columns: { audit_id: { as: "id" }, role_name: { as: "role" } },
        add: { cursor: { type: "string", sql: cursor("acted_at", "audit_id") } },
      },
    },
    audit_sweep: {},
  },
  admin: {
    check_invariants: {},
    workflow_lag: { row: { only: ["name", "lag_seconds"] } },
    workflow_metrics: {},
    workflow_changes: {},
  },
};

/** The same of the rooms of `@oxbow/declared`. */
export const DECLARED_CALLS: typeof CALLS = {
  definitions: {
    definition_create: {},
    definition_save_draft: {},
    definition_publish: {},
    definition_restore: {},
    definition_archive: {},
    definition_delete: {},
    definition_move: {},
    definition_pause: {},
    definition_resume: {},
    definition_configure: {},
    definition_apply: {},
    definition_start: {},
    definition_get: { row: { columns: { draft: DOCUMENT } } },
    definition_list: {},
    definition_versions: {},
    definition_documents: { row: { columns: { document: DOCUMENT } } },
    definition_epoch: {},
    definition_config_list: {},
    definition_config_set: {},
    definition_config_delete: {},
    definition_test: {},
    definition_delete_test: {},
    definition_migrate: {},
    incarnation: { as: "database_state", row: { only: ["state"] } },
    capture_request: {},
  },
  resources: {
    resource_list_start: {},
    resource_register: {},
    resource_types: {},
    references_to: {},
    reference_set: {},
    assert_unreferenced: {},
    protect_resource: {},
    unprotect_resource: {},
  },
  triggers: {
    trigger_declare: {},
    trigger_types: { row: { columns: { loaded: namesOf("loaded") } } },
    trigger_receive: {
      row: {
        columns: {
          triggers: { type: "readonly ChangedTrigger[]" },
          events: { type: "readonly TriggerDelivery[]" },
        },
      },
    },
    trigger_commit: {},
    trigger_events: { row: { columns: { matches: { type: "readonly TriggerMatch[]" } } } },
    trigger_explain: { row: { columns: { triggers: { type: "readonly TriggerFacts[]" } } } },
    once_get: {},
    once_forget: {},
    trigger_sweep: {},
    trigger_hooks: { row: { columns: { verify: { type: '"signature" | "github" | "token"' } } } },
    trigger_hook_receive: {},
  },
  catalog: {
    node_types_register: {},
    node_types: { row: { columns: { descriptor: DOCUMENT } } },
  },
};

const SQS_QUEUE: RowRules = {
  columns: {
    kind: { as: "fifo", type: "boolean", sql: "kind = 'fifo'" },
    attributes: { type: "Readonly<Record<string, string>>" },
    tags: { type: "Readonly<Record<string, string>>" },
  },
};

/** Those that only a server calls. */
export const SERVER_CALLS: typeof CALLS = {
  sqs: {
    sqs_create_queue: { row: SQS_QUEUE },
    sqs_find_queue: { row: SQS_QUEUE },
    sqs_list_queues: { row: SQS_QUEUE },
    sqs_set_attributes: { row: SQS_QUEUE },
    sqs_tag_queue: { row: SQS_QUEUE },
    sqs_purge_queue: { value: "string | null" },
    sqs_start_move: { value: "string | null" },
    sqs_list_moves: { row: { columns: counts("moved", "to_move") } },
    sqs_cancel_move: { value: "string | null" },
    sqs_continue_moves: { value: "number | null" },
  },
};
