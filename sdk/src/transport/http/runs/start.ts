/** The body of a start. */
import type { StartRequest } from "../../../protocol/runs.ts";
import { jsonOf } from "../requests.ts";
import { toSeconds } from "../shown.ts";

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
      delay: toSeconds(delayMs),
      startAt: startAt?.toISOString(),
      deadline: deadline?.toISOString() ?? toSeconds(deadlineMs),
      onRunning,
      onEnded,
      flowKey,
      priority,
      trace,
    },
    { input, tags },
  );
