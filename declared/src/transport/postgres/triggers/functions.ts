/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type {
  ChangedTrigger,
  TriggerDelivery,
  TriggerFacts,
  TriggerMatch,
} from "../../../protocol/triggers.ts";
import { call, type Call } from "@oxbow/sdk/internal/rooms";

export const triggerDeclare: Call<
  readonly [pool: string | null, types: string | null, replace: boolean | null],
  { readonly value: number }
> = call(
  "trigger_declare",
  `select queue.trigger_declare(
    pool => $1::text, types => $2::jsonb, replace => $3::boolean) as value`,
);

export interface TriggerTypeEntryRow {
  readonly pool: string;
  readonly name: string;
  readonly topic: string;
  readonly loaded: readonly string[];
  readonly eventSchema: unknown;
  readonly declaredAt: Date;
}

export const triggerTypes: Call<
  readonly [pool: string | null, definition: string | null],
  TriggerTypeEntryRow
> = call(
  "trigger_types",
  `select pool, name, topic, to_jsonb(loaded) as "loaded", event_schema as "eventSchema",
    declared_at as "declaredAt"
  from queue.trigger_types(pool => $1::text, definition => $2::text) as answer`,
);

export interface TriggerBatchRow {
  readonly epoch: string;
  readonly triggers: readonly ChangedTrigger[] | null;
  readonly events: readonly TriggerDelivery[];
}

export const triggerReceive: Call<
  readonly [
    pool: string | null,
    maxEvents: number | null,
    visibilityTimeout: number | null,
    knownEpoch: string | null,
  ],
  TriggerBatchRow
> = call(
  "trigger_receive",
  `select epoch::text as "epoch", triggers, events
  from queue.trigger_receive(
    pool => $1::text, max_events => $2::integer, visibility_timeout => $3::integer,
    known_epoch => $4::bigint) as answer`,
);

export const triggerCommit: Call<
  readonly [pool: string | null, events: string | null, matches: string | null],
  { readonly value: string }
> = call(
  "trigger_commit",
  `select value::text
  from queue.trigger_commit(
    pool => $1::text, events => $2::jsonb, matches => $3::jsonb) as answer (value)`,
);

export interface TriggerEventInfoRow {
  readonly eventId: string;
  readonly publishedAt: Date;
  readonly evaluatedAt: Date;
  readonly pool: string;
  readonly topic: string;
  readonly state: "evaluated" | "retrying" | "failed" | "refused";
  readonly error: string | null;
  readonly attempts: number;
  readonly depth: number;
  readonly message: unknown;
  readonly matches: readonly TriggerMatch[];
}

export const triggerEvents: Call<
  readonly [
    name: string | null,
    topic: string | null,
    state: string | null,
    before: string | null,
    maxEvents: number | null,
  ],
  TriggerEventInfoRow
> = call(
  "trigger_events",
  `select event_id::text as "eventId", published_at as "publishedAt", evaluated_at as "evaluatedAt", pool,
    topic, state, error, attempts, depth, message, matches
  from queue.trigger_events(
    name => $1::text, topic => $2::text, state => $3::text, before => $4::bigint,
    max_events => $5::integer) as answer`,
);

export interface TriggerFactsRow {
  readonly eventId: string;
  readonly publishedAt: Date;
  readonly evaluatedAt: Date;
  readonly topic: string;
  readonly state: "evaluated" | "retrying" | "failed" | "refused";
  readonly error: string | null;
  readonly depth: number;
  readonly message: unknown;
  readonly loaded: unknown;
  readonly version: number | null;
  readonly definitionState: "draft" | "published" | "paused" | "archived";
  readonly pauseReason: string | null;
  readonly triggers: readonly TriggerFacts[];
}

export const triggerExplain: Call<
  readonly [name: string | null, eventId: string | null, version: number | null],
  TriggerFactsRow
> = call(
  "trigger_explain",
  `select event_id::text as "eventId", published_at as "publishedAt", evaluated_at as "evaluatedAt", topic,
    state, error, depth, message, loaded, version, definition_state as "definitionState",
    pause_reason as "pauseReason", triggers
  from queue.trigger_explain(
    name => $1::text, event_id => $2::bigint, version => $3::integer) as answer`,
);

export interface OnceHolderRow {
  readonly eventId: string;
  readonly runId: string | null;
  readonly startedAt: Date;
  readonly trigger: string;
}

export const onceGet: Call<readonly [name: string | null, key: string | null], OnceHolderRow> =
  call(
    "once_get",
    `select event_id::text as "eventId", run_id::text as "runId", started_at as "startedAt", trigger
  from queue.once_get(name => $1::text, key => $2::text) as answer`,
  );

export const onceForget: Call<
  readonly [name: string | null, key: string | null],
  { readonly value: boolean }
> = call("once_forget", `select queue.once_forget(name => $1::text, key => $2::text) as value`);

export const triggerSweep: Call<readonly [maxEvents: number | null], { readonly value: number }> =
  call("trigger_sweep", `select queue.trigger_sweep(max_events => $1::integer) as value`);

export interface HookRow {
  readonly hookId: string;
  readonly definition: string;
  readonly trigger: string;
  readonly verify: "signature" | "github" | "token";
  readonly createdAt: Date;
  readonly identical: "once" | "each";
}

export const triggerHooks: Call<readonly [name: string | null, hookId: string | null], HookRow> =
  call(
    "trigger_hooks",
    `select hook_id as "hookId", definition, trigger, verify, created_at as "createdAt", identical
  from queue.trigger_hooks(name => $1::text, hook_id => $2::text) as answer`,
  );

export interface ReceivedHookRow {
  readonly eventId: string;
  readonly isNew: boolean;
}

export const triggerHookReceive: Call<
  readonly [hookId: string | null, message: string | null, deliveryId: string | null],
  ReceivedHookRow
> = call(
  "trigger_hook_receive",
  `select event_id::text as "eventId", is_new as "isNew"
  from queue.trigger_hook_receive(
    hook_id => $1::text, message => $2::jsonb, delivery_id => $3::text) as answer`,
);
