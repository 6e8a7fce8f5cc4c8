/** The SQL functions of this room. Made by `npm run build:seam` of extension-sql: change the sources there. */
import type { Call } from "../../../protocol/rooms.ts";
import { call } from "../connection/call.ts";

export interface EndpointStateRow {
  readonly endpointId: string;
  readonly url: string;
  readonly concurrency: number;
  readonly isPaused: boolean;
  readonly createdAt: Date;
  readonly serves: Readonly<Record<string, readonly number[]>>;
  readonly maxDurationMs: number | null;
  readonly sdkVersion: string | null;
  readonly checkedAt: Date | null;
  readonly lastError: string | null;
  readonly failedAt: Date | null;
}

const endpointStateColumns = `endpoint_id::text as "endpointId", url, concurrency, is_paused as "isPaused",
    created_at as "createdAt", serves, max_duration_ms as "maxDurationMs",
    sdk_version as "sdkVersion", checked_at as "checkedAt", last_error as "lastError",
    failed_at as "failedAt"`;

export const endpointAdd: Call<
  readonly [url: string | null, concurrency: number | null],
  EndpointStateRow
> = call(
  "endpoint_add",
  `select ${endpointStateColumns}
  from queue.endpoint_add(url => $1::text, concurrency => coalesce($2::integer, 20)) as answer`,
);

export const endpoints: Call<readonly [], EndpointStateRow> = call(
  "endpoints",
  `select ${endpointStateColumns}
  from queue.endpoints() as answer`,
);

export const endpointGet: Call<readonly [endpointId: string | null], EndpointStateRow> = call(
  "endpoint_get",
  `select ${endpointStateColumns}
  from queue.endpoint_get(endpoint_id => $1::bigint) as answer`,
);

export const endpointSync: Call<readonly [endpointId: string | null], EndpointStateRow> = call(
  "endpoint_sync",
  `select ${endpointStateColumns}
  from queue.endpoint_sync(endpoint_id => $1::bigint) as answer`,
);

export const endpointPause: Call<
  readonly [endpointId: string | null],
  { readonly value: boolean }
> = call("endpoint_pause", `select queue.endpoint_pause(endpoint_id => $1::bigint) as value`);

export const endpointResume: Call<
  readonly [endpointId: string | null],
  { readonly value: boolean }
> = call("endpoint_resume", `select queue.endpoint_resume(endpoint_id => $1::bigint) as value`);

export const endpointRemove: Call<
  readonly [endpointId: string | null],
  { readonly value: boolean }
> = call("endpoint_remove", `select queue.endpoint_remove(endpoint_id => $1::bigint) as value`);

export interface PushTargetRow {
  readonly endpointId: string;
  readonly url: string;
  readonly concurrency: number;
  readonly maxDurationMs: number | null;
  readonly serves: Readonly<Record<string, readonly number[]>>;
}

const pushTargetColumns = `endpoint_id::text as "endpointId", url, concurrency, max_duration_ms as "maxDurationMs", serves`;

export const endpointsToCheck: Call<readonly [max: number | null], PushTargetRow> = call(
  "endpoints_to_check",
  `select ${pushTargetColumns}
  from queue.endpoints_to_check(max => $1::integer) as answer`,
);

export const endpointChecked: Call<
  readonly [
    endpointId: string | null,
    serves: string | null,
    maxDurationMs: number | null,
    sdkVersion: string | null,
  ],
  { readonly value: boolean }
> = call(
  "endpoint_checked",
  `select queue.endpoint_checked(
    endpoint_id => $1::bigint, serves => $2::jsonb, max_duration_ms => $3::integer,
    sdk_version => $4::text) as value`,
);

export const endpointFailed: Call<
  readonly [endpointId: string | null, error: string | null],
  { readonly value: boolean }
> = call(
  "endpoint_failed",
  `select queue.endpoint_failed(endpoint_id => $1::bigint, error => $2::text) as value`,
);

export const endpointsToPush: Call<readonly [], PushTargetRow> = call(
  "endpoints_to_push",
  `select ${pushTargetColumns}
  from queue.endpoints_to_push() as answer`,
);
