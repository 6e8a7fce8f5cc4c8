/** Workflows: their counts of runs, and the versions that workers have registered. */
import { Type } from "typebox";
import { route, type Route } from "../../http/route.ts";
import { Instant, Nullable, Positive, WorkflowName } from "../../http/schemas.ts";

export const listWorkflows: Route = route({
  method: "GET",
  path: "/v1/workflows",
  scope: "read",
  summary: "List workflows",
  description: "Returns each workflow with the number of its runs by status.",
  response: {
    200: Type.Object({
      workflows: Type.Array(
        Type.Object({
          name: Type.String(),
          running: Type.Integer(),
          completed: Type.Integer(),
          failed: Type.Integer(),
          cancelled: Type.Integer(),
        }),
      ),
    }),
  },
  handler: async (_request, { transport }) => ({
    workflows: await transport.workflows.tally(),
  }),
});

export const listWorkflowVersions: Route = route({
  method: "GET",
  path: "/v1/workflows/:name/versions",
  scope: "read",
  summary: "List the versions of a workflow",
  description: "Returns the versions that workers have registered, latest first.",
  params: Type.Object({ name: WorkflowName }),
  response: {
    200: Type.Object({
      versions: Type.Array(
        Type.Object({
          workflow: Type.String(),
          version: Type.Integer(),
          retentionDays: Nullable(Type.Integer()),
          deadlineMs: Nullable(Type.Number()),
          onFailure: Nullable(Type.String()),
          registeredAt: Instant,
          inputSchema: Nullable(
            Type.Record(Type.String(), Type.Unknown(), {
              description:
                "JSON Schema of the input that a start takes, if the library of the workflow's schema converts to it.",
            }),
          ),
        }),
      ),
    }),
  },
  handler: async ({ params: { name } }, { transport }) => {
    return { versions: await transport.workflows.versions(name) };
  },
});

export const listWorkflowTools: Route = route({
  method: "GET",
  path: "/v1/workflow-tools",
  scope: "read",
  summary: "List workflows that are offered as tools",
  description:
    "Returns the workflows and published definitions whose latest version has expose, by name.",
  response: {
    200: Type.Object({
      tools: Type.Array(
        Type.Object({
          workflow: Type.String(),
          version: Type.Integer(),
          description: Nullable(Type.String()),
          inputSchema: Type.Record(Type.String(), Type.Unknown(), {
            description: "JSON Schema of the input.",
          }),
          isDefinition: Type.Boolean({
            description: "Whether it is a published definition rather than a workflow in code.",
          }),
        }),
      ),
    }),
  },
  handler: async (_request, { transport }) => ({
    tools: await transport.workflows.tools(),
  }),
});

export const unregisterWorkflowVersion: Route = route({
  method: "DELETE",
  path: "/v1/workflows/:name/versions/:version",
  scope: "admin",
  isAudited: true,
  summary: "Unregister a version of a workflow",
  description: "Starts without a version then use the latest version that is still registered.",
  params: Type.Object({
    name: WorkflowName,
    version: Positive,
  }),
  response: { 200: Type.Object({ unregistered: Type.Boolean() }) },
  handler: async ({ params: { name, version } }, { transport }) => ({
    unregistered: await transport.workflows.unregister(name, version),
  }),
});
