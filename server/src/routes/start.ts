/** What a start says. */
import type { StartRequest } from "@oxbow/sdk/internal";
import { type Static, Type } from "typebox";
import { closed, Id, Json, Length, RunStatus } from "../http/schemas.ts";
import { toInstant, toMs, toText } from "../http/values.ts";

export const Started = Type.Object({
  runId: Id,
  created: Type.Boolean({ description: "False: the idempotency key has this run already." }),
  status: RunStatus,
});

const WHEN_RUNNING = ["use-existing", "fail", "cancel-existing"] as const;
const WHEN_ENDED = ["use-existing", "start-new", "start-new-if-failed"] as const;

export const Trace = Type.Record(
  Type.String({ maxLength: 100 }),
  Type.String({ maxLength: 8_192 }),
  {
    description:
      'Headers of the trace that it is part of, {"traceparent": …}. Default: those of the request.',
  },
);

export const StartBody = Type.Object(
  {
    input: Type.Optional(Json),
    version: Type.Optional(Type.Integer({ minimum: 1, maximum: 2_147_483_647 })),
    idempotencyKey: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    retentionDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_525 })),
    delay: Type.Optional(Length),
    deadline: Type.Optional(Type.String({ description: "When a run that goes on fails." })),
    tags: Type.Optional(Type.Object({}, { additionalProperties: true })),
    onRunning: Type.Optional(Type.Union(WHEN_RUNNING.map((rule) => Type.Literal(rule)))),
    onEnded: Type.Optional(Type.Union(WHEN_ENDED.map((rule) => Type.Literal(rule)))),
    flowKey: Type.Optional(Type.String({ minLength: 1, maxLength: 512 })),
    priority: Type.Optional(Type.Integer({ minimum: -1_000_000, maximum: 1_000_000 })),
    trace: Type.Optional(Trace),
  },
  closed,
);

export const toStartRequest = (workflow: string, body: Static<typeof StartBody>): StartRequest => ({
  workflow,
  version: body.version ?? 1,
  input: toText(body.input, "input"),
  idempotencyKey: body.idempotencyKey,
  retentionDays: body.retentionDays,
  delayMs: body.delay === undefined ? undefined : toMs(body.delay, "delay"),
  deadline:
    body.deadline === undefined ? undefined : new Date(toInstant(body.deadline, "deadline")),
  tags: toText(body.tags, "tags"),
  onRunning: body.onRunning,
  onEnded: body.onEnded,
  flowKey: body.flowKey,
  priority: body.priority,
  trace: body.trace,
});
