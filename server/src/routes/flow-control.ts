/** Flow control of workflows: limits, rates and priorities. */
import { Type } from "typebox";
import { route, type Route } from "../http/route.ts";
import { Closed, Instant, nonEmpty, Nullable, oneOf, WorkflowName } from "../http/schemas.ts";

const Named = Type.Object({ name: WorkflowName });
const Settings = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "key, concurrency, concurrency_per_key, rate_limit, rate_limit_per_key, debounce and priority, as in queue.workflow_set_flow_control().",
});

export const getFlowControl: Route = route({
  method: "GET",
  path: "/v1/workflows/:name/flow-control",
  scope: "read",
  summary: "Get the flow control of a workflow",
  description: "Returns the settings and the current counts, or null without flow control.",
  params: Named,
  response: {
    200: Type.Object({
      flowControl: Nullable(
        Type.Object({
          settings: Settings,
          version: Type.Integer(),
          admitted: Type.Integer(),
          queued: Type.Integer(),
          opensAt: Nullable(Instant),
        }),
      ),
    }),
  },
  handler: async ({ params: { name } }, { transport }) => {
    return { flowControl: (await transport.flowControl.get(name)) ?? null };
  },
});

export const setFlowControl: Route = route({
  method: "PUT",
  path: "/v1/workflows/:name/flow-control",
  // Workers set it when they start.
  scope: "work",
  isAudited: true,
  summary: "Set the flow control of a workflow",
  description:
    "Replaces all settings; null removes them. Settings of an earlier version of the workflow are ignored, and the outcome is kept.",
  params: Named,
  body: Closed({
    settings: Nullable(Settings),
    version: Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 }),
  }),
  response: {
    200: Type.Object({
      outcome: oneOf(["created", "changed", "unchanged", "kept"]),
    }),
  },
  handler: async ({ params: { name }, body: { settings, version } }, { transport }) => ({
    outcome: await transport.flowControl.set(name, settings, version),
  }),
});

export const chargeFlow: Route = route({
  method: "POST",
  path: "/v1/workflows/:name/flow-control/charge",
  // Steps charge what they have used.
  scope: "work",
  summary: "Charge the rate limits of a workflow",
  description:
    "Counts what a run has used beyond itself, such as tokens: the next runs begin when the rate has caught up. `opensAt` is null if the next run may begin now.",
  params: Named,
  body: Closed({
    amount: Type.Integer({ minimum: 1, maximum: 1_000_000_000 }),
    flowKey: Type.Optional(nonEmpty(512)),
  }),
  response: { 200: Type.Object({ opensAt: Nullable(Instant) }) },
  handler: async ({ params: { name }, body: { amount, flowKey } }, { transport }) => {
    const opensAt = await transport.flowControl.charge(name, amount, flowKey);
    return { opensAt: opensAt };
  },
});
