/** Changing many runs by conditions, and deleting runs past their retention. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { Closed, Cursor, Nullable, oneOf } from "../../http/schemas.ts";
import { Conditions, Page } from "./conditions.ts";

export const changeRuns: Route = route({
  method: "POST",
  path: "/v1/runs/change",
  scope: "admin",
  isAudited: true,
  summary: "Change runs that match",
  description:
    "Cancels, pauses, resumes, retries, reruns or deletes one batch of matching runs. Repeat with the returned before until it is null.",
  body: Closed({
    change: oneOf(["cancel", "pause", "resume", "retry", "rerun", "delete"]),
    conditions: Conditions,
    reason: Type.Optional(
      Type.String({ maxLength: 1_000, description: "Reason of a cancellation or a pause." }),
    ),
    fromStep: Type.Optional(
      Type.String({ maxLength: 1_000, description: "First step that a rerun repeats." }),
    ),
    detail: Type.Optional(
      Type.String({
        maxLength: 1_000,
        deprecated: true,
        description: "As reason, or as fromStep of a rerun.",
      }),
    ),
    ...Page,
  }),
  response: { 200: Type.Object({ changed: Type.Integer(), before: Nullable(Cursor) }) },
  handler: ({ body: { change, conditions, ...request } }, { transport }) => {
    const { detail, before, maxRuns } = request;
    const [reason, fromStep] = change === "rerun" ? [undefined, detail] : [detail, undefined];
    return transport.runs.change(change, conditions, {
      reason: request.reason ?? reason,
      fromStep: request.fromStep ?? fromStep,
      before,
      maxRuns,
    });
  },
});

export const sweepRuns: Route = route({
  method: "POST",
  path: "/v1/runs/sweep",
  scope: "admin",
  summary: "Delete expired runs",
  description: "Deletes one batch of ended runs that are past their retention.",
  body: Closed({
    maxRuns: Type.Integer({ minimum: 1, maximum: 100_000, default: 1_000 }),
    maxRetentionDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
  }),
  response: { 200: Type.Object({ swept: Type.Integer() }) },
  handler: async ({ body: { maxRuns, maxRetentionDays } }, { transport }) => ({
    swept: await transport.runs.sweep(maxRuns, maxRetentionDays),
  }),
});
