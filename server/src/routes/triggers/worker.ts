/** Events for workers that evaluate triggers. */
import { Type } from "typebox";
import { MANY_VALUES_BYTES } from "../../http/body-limits.ts";
import { isThere, whileClientWaits } from "../../http/long-poll.ts";
import { route, type Route } from "../../http/route.ts";
import {
  Closed,
  Id,
  Json,
  nonEmpty,
  Nullable,
  oneOf,
  WaitSeconds,
  WorkflowName,
} from "../../http/schemas.ts";
import { Pool } from "./shapes.ts";

const TriggerName = nonEmpty(128);

export const declareTriggerTypes: Route = route({
  method: "POST",
  path: "/v1/worker/triggers/types",
  scope: "work",
  summary: "Declare trigger types",
  description:
    "Definitions that use a type whose topic has changed are subscribed again. A worker does this when it starts, and every 5 minutes with replace false.",
  body: Closed({
    pool: Pool,
    types: Type.Array(
      Closed({
        name: nonEmpty(256),
        topic: nonEmpty(255),
        loaded: Type.Array(Type.String()),
        schema: Json,
      }),
      { maxItems: 1_000 },
    ),
    replace: Type.Optional(
      Type.Boolean({
        description:
          "Whether to replace what is declared. False replaces it only if no worker has reported it for 20 minutes. Default: true.",
      }),
    ),
  }),
  response: {
    200: Type.Object({
      changed: Type.Integer({ description: "How many types are new or have changed." }),
    }),
  },
  handler: async ({ body: { pool, types, replace = true } }, { declared: { triggers } }) => ({
    changed: await triggers.declare({ pool, types, replace }),
  }),
});

export const receiveTriggerEvents: Route = route({
  method: "POST",
  path: "/v1/worker/triggers/receive",
  scope: "work",
  summary: "Receive events of triggers",
  description:
    "Leases events, with the triggers that have changed since the epoch that the worker knows. Waits until there is one.",
  body: Closed({
    pool: Pool,
    maxEvents: Type.Integer({ minimum: 1, maximum: 1_000, default: 1 }),
    leaseMs: Type.Integer({ minimum: 1_000, maximum: 43_200_000 }),
    waitSeconds: WaitSeconds,
    knownEpoch: Type.Optional(Id),
  }),
  response: {
    200: Type.Object({
      epoch: Type.String(),
      triggers: Type.Array(
        Type.Object({
          definition: Type.String(),
          version: Type.Integer(),
          name: Type.String(),
          subscriptionId: Nullable(Type.String()),
          spec: Json,
          loads: Type.Array(Type.String()),
          isGone: Type.Optional(
            Type.Boolean({ description: "Its definition has moved to another pool." }),
          ),
        }),
      ),
      events: Type.Array(
        Type.Object({
          eventId: Type.String(),
          receipt: Type.String(),
          attempts: Type.Integer(),
          publishedAt: Type.Number({ description: "Milliseconds since 1970." }),
          topic: Type.String(),
          message: Json,
          subscriptionIds: Type.Array(Type.String()),
          only: Json,
        }),
      ),
    }),
  },
  handler: async ({ body }, { declared: { triggers } }, reply) => {
    const { pool, maxEvents, leaseMs, waitSeconds, knownEpoch } = body;
    const signal = whileClientWaits(reply);
    const batch = await triggers
      .receive({
        pool,
        max: maxEvents,
        leaseMs,
        waitMs: waitSeconds * 1_000,
        knownEpoch,
        signal,
      })
      .catch((error: unknown) => {
        if (signal.aborted) return { epoch: knownEpoch ?? "0", triggers: [], events: [] };
        throw error;
      });
    if (!isThere(reply)) {
      // Another worker gets them immediately.
      const again = batch.events.map(({ receipt }) => ({
        receipt,
        state: "release" as const,
      }));
      await triggers.commit(pool, again, []);
    }
    return batch;
  },
});

export const commitTriggerEvents: Route = route({
  method: "POST",
  path: "/v1/worker/triggers/commit",
  scope: "work",
  bodyLimit: MANY_VALUES_BYTES,
  summary: "Commit what events came to",
  description:
    "Starts runs, records events and matches, and acknowledges, in one transaction. Nothing is done for events whose lease is lost.",
  body: Closed({
    pool: Pool,
    events: Type.Array(
      Closed({
        receipt: Type.String(),
        state: oneOf(["evaluated", "failed", "retry", "release", "more"]),
        delaySeconds: Type.Optional(Type.Number({ minimum: 0, maximum: 43_200 })),
        error: Type.Optional(Type.String()),
        loaded: Type.Optional(Type.Record(Type.String(), Json)),
      }),
      { maxItems: 1_000 },
    ),
    matches: Type.Array(
      Closed({
        receipt: Type.String(),
        definition: WorkflowName,
        version: Type.Integer({ minimum: 1 }),
        trigger: TriggerName,
        outcome: oneOf(["start", "failed", "withdrawn"]),
        error: Type.Optional(Type.String()),
        input: Type.Optional(Json),
        onceKey: Type.Optional(Type.String()),
        delaySeconds: Type.Optional(Type.Number({ minimum: 0 })),
        recheck: Type.Optional(Type.Boolean()),
      }),
      { maxItems: 10_000 },
    ),
  }),
  response: {
    200: Type.Object({
      held: Type.Array(Type.String(), { description: "Receipts whose leases were alive." }),
    }),
  },
  handler: async ({ body: { pool, events, matches } }, { declared: { triggers } }) => ({
    held: await triggers.commit(pool, events as never, matches as never),
  }),
});
