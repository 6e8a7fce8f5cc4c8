/** The body of a start, and the request that the SDK makes of it. */
import { checkStartableName, type StartRequest } from "@oxbow/sdk/internal/server";
import { type Static, Type } from "typebox";
import {
  about,
  Closed,
  Id,
  Json,
  Length,
  nonEmpty,
  oneOf,
  Positive,
  Retention,
  RunStatus,
  Tags,
} from "../../http/schemas.ts";
import { toInstant, toMs, toText } from "../../http/values.ts";

export const Started = Type.Object({
  runId: Id,
  created: Type.Boolean({ description: "False if a run with this idempotency key existed." }),
  status: RunStatus,
});

/** The answer to a start that waits: with the result, if the run has ended. */
export const StartedOrEnded = Type.Object({
  ...Started.properties,
  output: Type.Optional(Json),
  error: Type.Optional(Json),
});

export const Trace = Type.Record(
  Type.String({ maxLength: 100 }),
  Type.String({ maxLength: 8_192 }),
  {
    description:
      'Trace context of the run, as headers: {"traceparent": …}. Default: the headers of the request.',
  },
);

export const StartBody = Closed({
  input: Type.Optional(Json),
  version: Type.Optional(
    about(
      Positive,
      "Default: the latest version that a worker has registered. Before that, the first registration decides it.",
    ),
  ),
  idempotencyKey: Type.Optional(
    nonEmpty(512, "A later start with the same key returns the same run."),
  ),
  route: Type.Optional(
    nonEmpty(
      512,
      "What the run belongs with, such as a tenant, over several shards: all runs of a route are in one. The idempotency key begins with it and a slash.",
    ),
  ),
  retentionDays: Type.Optional(Retention),
  delay: Type.Optional(
    Type.Union(Length.anyOf, {
      description: 'Duration until the run may start: seconds, or "30s", "5m", "7d".',
    }),
  ),
  startAt: Type.Optional(
    Type.String({ description: "Earliest start of the run, as an alternative to delay." }),
  ),
  deadline: Type.Optional(
    Type.Union([Type.String(), Type.Number({ exclusiveMinimum: 0 })], {
      description:
        'The run fails if it has not ended by then: an instant, or a duration from its earliest start ("1h", or seconds).',
    }),
  ),
  tags: Type.Optional(Tags),
  onRunning: Type.Optional(
    oneOf(
      ["use-existing", "fail", "cancel-existing"],
      "Rule for a running run with the same idempotency key.",
    ),
  ),
  onEnded: Type.Optional(
    oneOf(
      ["use-existing", "start-new", "start-new-if-failed"],
      "Rule for an ended run with the same idempotency key.",
    ),
  ),
  flowKey: Type.Optional(
    nonEmpty(512, "Key of flow control. Default: the value at the workflow's key path."),
  ),
  priority: Type.Optional(
    Type.Integer({
      minimum: -1_000_000,
      maximum: 1_000_000,
      description: "Runs with a higher priority start first.",
    }),
  ),
  trace: Type.Optional(Trace),
});

/**
 * @param maxRetentionDays Ceiling of this server.
 * @throws InvalidName for a workflow of Oxbow.
 */
export const toStartRequest = (
  workflow: string,
  body: Static<typeof StartBody>,
  maxRetentionDays: number,
): StartRequest => ({
  workflow: startable(workflow),
  version: body.version,
  input: toText(body.input, "input"),
  idempotencyKey: body.idempotencyKey,
  route: body.route,
  retentionDays:
    body.retentionDays === undefined ? undefined : Math.min(body.retentionDays, maxRetentionDays),
  delayMs: body.delay === undefined ? undefined : toMs(body.delay, "delay"),
  startAt: body.startAt === undefined ? undefined : new Date(toInstant(body.startAt, "startAt")),
  ...toDeadline(body.deadline),
  tags: toText(body.tags, "tags"),
  onRunning: body.onRunning,
  onEnded: body.onEnded,
  flowKey: body.flowKey,
  priority: body.priority,
  trace: body.trace,
});

function toDeadline(
  given: string | number | undefined,
): Pick<StartRequest, "deadline" | "deadlineMs"> {
  if (given === undefined) return {};
  const isLength = typeof given === "number" || /^\d[\d.]* ?[a-z]*$/i.test(given);
  return isLength
    ? { deadlineMs: toMs(given, "deadline") }
    : { deadline: new Date(toInstant(given, "deadline")) };
}

function startable(name: string): string {
  checkStartableName(name);
  return name;
}
