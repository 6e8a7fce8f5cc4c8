/** Rows of the SQL functions of registered versions ↔ `protocol/workflows.ts`. */
import type { RegisteredVersion, Registration } from "../../../protocol/workflows.ts";
import { toSeconds } from "../connection/arguments.ts";

export const registrationArguments = (registrations: readonly Registration[]): unknown[] => [
  registrations.map(({ name }) => name),
  registrations.map(({ version }) => version),
  registrations.map(({ retentionDays }) => retentionDays ?? null),
  registrations.map(({ deadlineMs }) => toSeconds(deadlineMs)),
  registrations.map(({ onFailure }) => onFailure ?? null),
];

export interface VersionRow {
  readonly workflow: string;
  readonly version: number;
  readonly retention_days: number | null;
  readonly deadline_ms: number | null;
  readonly on_failure: string | null;
  readonly registered_at: Date;
}

export const toRegisteredVersion = (row: VersionRow): RegisteredVersion => ({
  workflow: row.workflow,
  version: row.version,
  retentionDays: row.retention_days,
  deadlineMs: row.deadline_ms,
  onFailure: row.on_failure,
  registeredAt: row.registered_at,
});
