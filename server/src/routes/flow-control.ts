/** /v1/workflows/{name}/flow-control: how many runs are in flight, how fast they begin, in which order. */
import { Type } from "typebox";
import type { App, RouteContext } from "../http/app.ts";
import { closed, Instant, Nullable, ProblemBody, WorkflowName } from "../http/schemas.ts";

const PATH = "/v1/workflows/:name/flow-control";
const Named = Type.Object({ name: WorkflowName });
const Settings = Type.Record(Type.String(), Type.Unknown(), {
  description:
    "key, concurrency, concurrency_per_key, rate_limit, rate_limit_per_key, debounce and priority, as queue.workflow_set_flow_control() takes them.",
});

export function addFlowControlRoutes(app: App, { transport }: RouteContext): void {
  app.get(
    PATH,
    {
      config: { scope: "read" },
      schema: {
        summary: "The flow control of a workflow, and how it stands",
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
          default: ProblemBody,
        },
      },
    },
    async ({ params }) => {
      const state = await transport.getFlowControl(params.name);
      return {
        flowControl:
          state === undefined ? null : { ...state, opensAt: state.opensAt?.toISOString() ?? null },
      };
    },
  );

  app.put(
    PATH,
    {
      // Workers say it when they begin.
      config: { scope: "work" },
      schema: {
        summary: "Say how many runs are in flight, how fast they begin, in which order",
        params: Named,
        body: Type.Object(
          {
            settings: Nullable(Settings),
            version: Type.Integer({ minimum: 1, maximum: 2_147_483_647, default: 1 }),
          },
          closed,
        ),
        response: {
          200: Type.Object({
            outcome: Type.Union([
              Type.Literal("created"),
              Type.Literal("changed"),
              Type.Literal("unchanged"),
              Type.Literal("kept"),
            ]),
          }),
          default: ProblemBody,
        },
      },
    },
    async ({ params, body }) => ({
      outcome: await transport.setFlowControl(params.name, body.settings, body.version),
    }),
  );
}
