/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import { call, type Call, type Numbers, type Texts } from "@oxbow/sdk/internal/rooms";

export const definitionCreate: Call<
  readonly [
    name: string | null,
    document: string | null,
    folder: string | null,
    scope: string | null,
    isProtected: boolean | null,
    actor: string | null,
  ],
  { readonly value: number }
> = call(
  "definition_create",
  `select queue.definition_create(
    name => $1::text, document => $2::jsonb, folder => $3::text, scope => $4::jsonb,
    is_protected => $5::boolean, actor => $6::text) as value`,
);

export const definitionSaveDraft: Call<
  readonly [
    name: string | null,
    document: string | null,
    revision: number | null,
    actor: string | null,
  ],
  { readonly value: number }
> = call(
  "definition_save_draft",
  `select queue.definition_save_draft(
    name => $1::text, document => $2::jsonb, revision => $3::integer, actor => $4::text) as value`,
);

export interface PublishedDefinitionRow {
  readonly version: number;
  readonly created: boolean;
}

export const definitionPublish: Call<
  readonly [
    name: string | null,
    revision: number | null,
    compiled: string | null,
    note: string | null,
    actor: string | null,
  ],
  PublishedDefinitionRow
> = call(
  "definition_publish",
  `select version, created
  from queue.definition_publish(
    name => $1::text, revision => $2::integer, compiled => $3::jsonb, note => $4::text,
    actor => $5::text) as answer`,
);

export const definitionRestore: Call<
  readonly [
    name: string | null,
    version: number | null,
    revision: number | null,
    actor: string | null,
  ],
  { readonly value: number }
> = call(
  "definition_restore",
  `select queue.definition_restore(
    name => $1::text, version => $2::integer, revision => $3::integer, actor => $4::text) as value`,
);

export const definitionArchive: Call<readonly [name: string | null], { readonly value: boolean }> =
  call("definition_archive", `select queue.definition_archive(name => $1::text) as value`);

export const definitionDelete: Call<readonly [name: string | null], { readonly value: boolean }> =
  call("definition_delete", `select queue.definition_delete(name => $1::text) as value`);

export const definitionMove: Call<
  readonly [name: string | null, layout: string | null, version: number | null],
  { readonly value: unknown }
> = call(
  "definition_move",
  `select queue.definition_move(
    name => $1::text, layout => $2::jsonb, version => $3::integer) as value`,
);

export const definitionPause: Call<
  readonly [name: string | null, reason: string | null],
  { readonly value: boolean }
> = call(
  "definition_pause",
  `select queue.definition_pause(name => $1::text, reason => $2::text) as value`,
);

export const definitionResume: Call<readonly [name: string | null], { readonly value: boolean }> =
  call("definition_resume", `select queue.definition_resume(name => $1::text) as value`);

export const definitionConfigure: Call<
  readonly [
    name: string | null,
    folder: string | null,
    scope: string | null,
    isProtected: boolean | null,
    pool: string | null,
  ],
  { readonly value: boolean }
> = call(
  "definition_configure",
  `select queue.definition_configure(
    name => $1::text, folder => $2::text, scope => $3::jsonb, is_protected => $4::boolean,
    pool => $5::text) as value`,
);

export interface AppliedDefinitionRow {
  readonly name: string;
  readonly outcome: "created" | "changed" | "unchanged";
  readonly revision: number;
  readonly version: number | null;
}

export const definitionApply: Call<
  readonly [
    documents: Texts | null,
    publish: boolean | null,
    compiled: Texts | null,
    note: string | null,
    overwrite: boolean | null,
    actor: string | null,
  ],
  AppliedDefinitionRow
> = call(
  "definition_apply",
  `select name, outcome, revision, version
  from queue.definition_apply(
    documents => $1::jsonb[], publish => $2::boolean, compiled => $3::jsonb[], note => $4::text,
    overwrite => $5::boolean, actor => $6::text) as answer`,
);

export interface StartedRunRow {
  readonly runId: string;
  readonly created: boolean;
  readonly status: "running" | "completed" | "failed" | "cancelled";
}

export const definitionStart: Call<
  readonly [
    name: string | null,
    input: string | null,
    version: number | null,
    idempotencyKey: string | null,
    retentionDays: number | null,
    delaySeconds: number | null,
    deadline: string | null,
    tags: string | null,
    onRunning: string | null,
    onEnded: string | null,
    flowKey: string | null,
    priority: number | null,
    trace: string | null,
    startAt: string | null,
    deadlineSeconds: number | null,
  ],
  StartedRunRow
> = call(
  "definition_start",
  `select run_id::text as "runId", created, status
  from queue.definition_start(
    name => $1::text, input => $2::jsonb, version => $3::integer, idempotency_key => $4::text,
    retention_days => $5::integer, delay_seconds => $6::numeric, deadline => $7::timestamptz,
    tags => $8::jsonb, on_running => $9::text, on_ended => $10::text, flow_key => $11::text,
    priority => $12::integer, trace => $13::jsonb, start_at => $14::timestamptz,
    deadline_seconds => $15::numeric) as answer`,
);

export interface DefinitionStateRow {
  readonly name: string;
  readonly title: string | null;
  readonly folder: string | null;
  readonly pool: string;
  readonly scope: unknown;
  readonly state: "draft" | "published" | "paused" | "archived";
  readonly revision: number;
  readonly draftBy: string;
  readonly draftedAt: Date;
  readonly hasChanges: boolean;
  readonly publishedVersion: number | null;
  readonly publishedAt: Date | null;
  readonly publishedBy: string | null;
  readonly createdAt: Date;
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  readonly archivedAt: Date | null;
  readonly isProtected: boolean;
  readonly draft: Readonly<Record<string, unknown>>;
  readonly layout: unknown;
}

export const definitionGet: Call<readonly [name: string | null], DefinitionStateRow> = call(
  "definition_get",
  `select name, title, folder, pool, scope, state, revision, draft_by as "draftBy",
    drafted_at as "draftedAt", has_changes as "hasChanges", published_version as "publishedVersion",
    published_at as "publishedAt", published_by as "publishedBy", created_at as "createdAt",
    paused_at as "pausedAt", pause_reason as "pauseReason", archived_at as "archivedAt",
    is_protected as "isProtected", draft, layout
  from queue.definition_get(name => $1::text) as answer`,
);

export interface DefinitionSummaryRow {
  readonly name: string;
  readonly title: string | null;
  readonly folder: string | null;
  readonly pool: string;
  readonly scope: unknown;
  readonly state: "draft" | "published" | "paused" | "archived";
  readonly revision: number;
  readonly draftBy: string;
  readonly draftedAt: Date;
  readonly hasChanges: boolean;
  readonly publishedVersion: number | null;
  readonly publishedAt: Date | null;
  readonly publishedBy: string | null;
  readonly createdAt: Date;
  readonly pausedAt: Date | null;
  readonly pauseReason: string | null;
  readonly archivedAt: Date | null;
  readonly isProtected: boolean;
}

export const definitionList: Call<
  readonly [
    folder: string | null,
    state: string | null,
    search: string | null,
    after: string | null,
    maxDefinitions: number | null,
    name: string | null,
  ],
  DefinitionSummaryRow
> = call(
  "definition_list",
  `select name, title, folder, pool, scope, state, revision, draft_by as "draftBy",
    drafted_at as "draftedAt", has_changes as "hasChanges", published_version as "publishedVersion",
    published_at as "publishedAt", published_by as "publishedBy", created_at as "createdAt",
    paused_at as "pausedAt", pause_reason as "pauseReason", archived_at as "archivedAt",
    is_protected as "isProtected"
  from queue.definition_list(
    folder => $1::text, state => $2::text, search => $3::text, after => $4::text,
    max_definitions => $5::integer, name => $6::text) as answer`,
);

export interface DefinitionVersionInfoRow {
  readonly version: number;
  readonly state: "published" | "archived";
  readonly hash: string;
  readonly publishedAt: Date;
  readonly publishedBy: string;
  readonly note: string | null;
}

export const definitionVersions: Call<readonly [name: string | null], DefinitionVersionInfoRow> =
  call(
    "definition_versions",
    `select version, state, hash, published_at as "publishedAt", published_by as "publishedBy", note
  from queue.definition_versions(name => $1::text) as answer`,
  );

export interface DefinitionDocumentRow {
  readonly name: string;
  readonly version: number;
  readonly state: "published" | "archived" | "test";
  readonly pool: string;
  readonly hash: string;
  readonly document: Readonly<Record<string, unknown>>;
  readonly compiled: unknown;
  readonly layout: unknown;
  readonly test: unknown;
}

export const definitionDocuments: Call<
  readonly [names: Texts | null, versions: Numbers | null],
  DefinitionDocumentRow
> = call(
  "definition_documents",
  `select name, version, state, pool, hash, document, compiled, layout, test
  from queue.definition_documents(names => $1::text[], versions => $2::integer[]) as answer`,
);

export const definitionEpoch: Call<readonly [], { readonly value: string }> = call(
  "definition_epoch",
  `select queue.definition_epoch()::text as value`,
);

export interface ConfigValueRow {
  readonly name: string;
  readonly value: unknown;
  readonly changedAt: Date;
  readonly changedBy: string;
}

export const definitionConfigList: Call<readonly [names: Texts | null], ConfigValueRow> = call(
  "definition_config_list",
  `select name, value, changed_at as "changedAt", changed_by as "changedBy"
  from queue.definition_config_list(names => $1::text[]) as answer`,
);

export const definitionConfigSet: Call<
  readonly [name: string | null, value: string | null],
  { readonly value: boolean }
> = call(
  "definition_config_set",
  `select queue.definition_config_set(name => $1::text, value => $2::jsonb) as value`,
);

export const definitionConfigDelete: Call<
  readonly [name: string | null],
  { readonly value: boolean }
> = call(
  "definition_config_delete",
  `select queue.definition_config_delete(name => $1::text) as value`,
);

export interface StartedTestRow {
  readonly runId: string;
  readonly version: number;
  readonly hash: string;
}

export const definitionTest: Call<
  readonly [
    name: string | null,
    document: string | null,
    input: string | null,
    pins: string | null,
    options: string | null,
    actor: string | null,
  ],
  StartedTestRow
> = call(
  "definition_test",
  `select run_id::text as "runId", version, hash
  from queue.definition_test(
    name => $1::text, document => $2::jsonb, input => $3::jsonb, pins => $4::jsonb,
    options => $5::jsonb, actor => $6::text) as answer`,
);

export const definitionDeleteTest: Call<
  readonly [name: string | null, runId: string | null],
  { readonly value: boolean }
> = call(
  "definition_delete_test",
  `select queue.definition_delete_test(name => $1::text, run_id => $2::bigint) as value`,
);

export const definitionMigrate: Call<
  readonly [
    name: string | null,
    runId: string | null,
    version: number | null,
    compared: string | null,
  ],
  { readonly value: string }
> = call(
  "definition_migrate",
  `select queue.definition_migrate(
    name => $1::text, run_id => $2::bigint, version => $3::integer, compared => $4::jsonb) as value`,
);

export interface IncarnationInfoRow {
  readonly state: "live" | "sandbox" | "held" | null;
}

export const databaseState: Call<readonly [], IncarnationInfoRow> = call(
  "database_state",
  `select state
  from queue.incarnation() as answer`,
);

export const captureRequest: Call<
  readonly [
    runId: string | null,
    key: string | null,
    url: string | null,
    body: string | null,
    headers: string | null,
  ],
  { readonly value: boolean }
> = call(
  "capture_request",
  `select queue.capture_request(
    run_id => $1::bigint, key => $2::text, url => $3::text, body => $4::jsonb, headers => $5::jsonb) as value`,
);
