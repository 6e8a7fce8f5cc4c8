/** The body of a start. */
import type { StartRequest } from "../../../protocol/runs.ts";
import { jsonOf } from "../json-of.ts";

export const startBody = ({
  version,
  input,
  idempotencyKey,
  route,
  retentionDays,
  delayMs,
  startAt,
  deadline,
  deadlineMs,
  tags,
  onRunning,
  onEnded,
  flowKey,
  priority,
  trace,
}: StartRequest): string =>
  jsonOf(
    {
      version,
      idempotencyKey,
      route,
      retentionDays,
      delay: delayMs === undefined ? undefined : delayMs / 1_000,
      startAt: startAt?.toISOString(),
      deadline:
        deadline?.toISOString() ?? (deadlineMs === undefined ? undefined : deadlineMs / 1_000),
      onRunning,
      onEnded,
      flowKey,
      priority,
      trace,
    },
    { input, tags },
  );
