/** The OpenAPI document: what the schemas of the routes don't say by themselves. */
import type { SwaggerOptions } from "@fastify/swagger";
import type { FastifySchema, RouteOptions } from "fastify";
import { ProblemBody } from "./schemas.ts";

const TAGS = {
  Runs: "Start, read, signal and change runs of workflows.",
  Workflows: "Workflows, their versions and their flow control.",
  Queues: "Queues and their messages.",
  Topics: "Subscriptions, publishing, and deliveries to urls.",
  Schedules: "Starts of runs by the clock.",
  Worker: "The protocol of workers.",
  Server: "Health of the server.",
} as const;

/** Names of operations, of which generated clients make methods. They never change. */
const OPERATIONS: Readonly<Record<string, readonly [tag: keyof typeof TAGS, id: string]>> = {
  "GET /v1/workflows": ["Workflows", "listWorkflows"],
  "GET /v1/workflows/:name/versions": ["Workflows", "listWorkflowVersions"],
  "DELETE /v1/workflows/:name/versions/:version": ["Workflows", "unregisterWorkflowVersion"],
  "GET /v1/workflows/:name/flow-control": ["Workflows", "getFlowControl"],
  "PUT /v1/workflows/:name/flow-control": ["Workflows", "setFlowControl"],
  "GET /v1/workflows/:name/events": ["Workflows", "followWorkflow"],
  "POST /v1/workflows/:name/runs": ["Runs", "startRun"],
  "GET /v1/workflows/:name/runs": ["Runs", "listRuns"],
  "POST /v1/workflows/:name/runs/batch": ["Runs", "startRuns"],
  "POST /v1/workflows/:name/runs/signal-with-start": ["Runs", "signalWithStart"],
  "POST /v1/runs/search": ["Runs", "searchRuns"],
  "POST /v1/runs/count": ["Runs", "countRuns"],
  "POST /v1/runs/export": ["Runs", "exportRuns"],
  "POST /v1/runs/change": ["Runs", "changeRuns"],
  "POST /v1/runs/sweep": ["Runs", "sweepRuns"],
  ...ofRun("/v1/workflows/:name/runs/:run_id", "WorkflowRun"),
  ...ofRun("/v1/runs/:run_id", "Run"),
  "GET /v1/workflows/:name/runs/:run_id/events": ["Runs", "followRun"],
  "GET /v1/runs/:run_id/stream": ["Runs", "streamRun"],
  "POST /v1/queues": ["Queues", "createQueue"],
  "GET /v1/queues": ["Queues", "listQueues"],
  "GET /v1/queues/:name": ["Queues", "getQueue"],
  "DELETE /v1/queues/:name": ["Queues", "dropQueue"],
  "POST /v1/queues/:name/messages": ["Queues", "sendMessages"],
  "GET /v1/queues/:name/messages": ["Queues", "peekMessages"],
  "DELETE /v1/queues/:name/messages": ["Queues", "purgeQueue"],
  "POST /v1/queues/:name/receive": ["Queues", "receiveMessages"],
  "DELETE /v1/queues/:name/messages/:receipt": ["Queues", "deleteMessage"],
  "PATCH /v1/queues/:name/messages/:receipt": ["Queues", "changeMessageVisibility"],
  "POST /v1/queues/:name/delete": ["Queues", "deleteMessages"],
  "POST /v1/queues/:name/give-back": ["Queues", "giveBackMessages"],
  "POST /v1/queues/:name/redrive": ["Queues", "redriveQueue"],
  "POST /v1/topics/:pattern/subscriptions": ["Topics", "subscribe"],
  "GET /v1/topics/:pattern/subscriptions": ["Topics", "listTopicSubscriptions"],
  "DELETE /v1/topics/:pattern/subscriptions/:subscription_id": ["Topics", "endTopicSubscription"],
  "POST /v1/topics/:pattern/messages": ["Topics", "publish"],
  "GET /v1/subscriptions": ["Topics", "listSubscriptions"],
  "DELETE /v1/subscriptions/:subscription_id": ["Topics", "endSubscription"],
  "POST /v1/subscriptions/:subscription_id/enable": ["Topics", "enableSubscription"],
  "GET /v1/subscriptions/:subscription_id/secret": ["Topics", "getSubscriptionSecret"],
  "GET /v1/captured-deliveries": ["Topics", "listCapturedDeliveries"],
  "GET /v1/topic-dead-letters": ["Topics", "listTopicDeadLetters"],
  "POST /v1/topic-dead-letters/redrive": ["Topics", "redriveTopicDeadLetters"],
  "POST /v1/topic-dead-letters/delete": ["Topics", "deleteTopicDeadLetters"],
  "GET /v1/schedules": ["Schedules", "listSchedules"],
  "GET /v1/schedules/:name": ["Schedules", "getSchedule"],
  "PUT /v1/schedules/:name": ["Schedules", "setSchedule"],
  "DELETE /v1/schedules/:name": ["Schedules", "deleteSchedule"],
  "POST /v1/schedules/:name/pause": ["Schedules", "pauseSchedule"],
  "POST /v1/schedules/:name/resume": ["Schedules", "resumeSchedule"],
  "POST /v1/schedules/:name/trigger": ["Schedules", "triggerSchedule"],
  "POST /v1/worker/receive": ["Worker", "receiveRuns"],
  "POST /v1/worker/next-visible": ["Worker", "nextVisibleRun"],
  "POST /v1/worker/commit": ["Worker", "commitSteps"],
  "POST /v1/worker/heartbeat": ["Worker", "extendLeases"],
  "PUT /v1/worker/versions": ["Worker", "registerVersions"],
  "POST /v1/worker/progress": ["Worker", "reportProgress"],
  "POST /v1/worker/journal-page": ["Worker", "readJournalPage"],
  "GET /v1/worker/wake": ["Worker", "followWorkerHints"],
  "GET /v1/invariants": ["Server", "listInvariants"],
  "GET /v1/check": ["Server", "checkAccess"],
  "GET /healthz": ["Server", "getHealth"],
  "GET /readyz": ["Server", "getReadiness"],
};

/** A run is found with the name of its workflow, and without. */
function ofRun(path: string, what: string): Record<string, readonly ["Runs", string]> {
  return {
    [`GET ${path}`]: ["Runs", `get${what}`],
    [`DELETE ${path}`]: ["Runs", `cancel${what}`],
    [`POST ${path}/signals/:event`]: ["Runs", `signal${what}`],
    [`POST ${path}/rerun`]: ["Runs", `rerun${what}`],
    [`POST ${path}/pause`]: ["Runs", `pause${what}`],
    [`POST ${path}/resume`]: ["Runs", `resume${what}`],
    [`POST ${path}/retry`]: ["Runs", `retry${what}`],
    [`GET ${path}/steps`]: ["Runs", `list${what}Steps`],
    [`GET ${path}/children`]: ["Runs", `list${what}Children`],
    [`GET ${path}/state`]: ["Runs", `get${what}State`],
  };
}

interface Described extends FastifySchema {
  readonly summary?: string;
  readonly description?: string;
  readonly hide?: boolean;
}

/** @param hasTokens Whether requests need one. */
export function openApi(version: string, hasTokens: boolean): SwaggerOptions {
  return {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Oxbow",
        description: "Durable workflows inside your Postgres.",
        version,
        contact: { name: "Oxbow" },
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/", description: "The server that this document is from." }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        schemas: { Problem: ProblemBody },
        securitySchemes: {
          token: { type: "http", scheme: "bearer", description: "One of OXBOW_TOKENS." },
        },
      },
      security: hasTokens ? [{ token: [] }] : [{}, { token: [] }],
    },
    transform: ({ schema, url, route }) => ({ schema: described(schema, url, route), url }),
    transformObject: (document) => {
      if (!("openapiObject" in document)) throw new Error("There is no OpenAPI document.");
      const { openapiObject } = document;
      for (const path of Object.values(openapiObject.paths ?? {})) {
        for (const operation of Object.values(path ?? {})) {
          if (typeof operation === "object" && "responses" in operation) sayProblems(operation);
        }
      }
      return openapiObject;
    },
  };
}

function described(schema: Described | undefined, url: string, route: RouteOptions): Described {
  if (schema === undefined || schema.hide === true) return { ...schema, hide: true };
  const [tag, operationId] = OPERATIONS[`${String(route.method)} ${url}`] ?? [];
  return {
    ...schema,
    description: schema.description ?? `${schema.summary ?? ""}.`,
    ...(tag === undefined ? {} : { operationId, tags: [tag] }),
    ...(route.config?.scope === undefined ? { security: [] } : {}),
  } as Described;
}

interface Operation {
  responses?: Record<string, unknown>;
}

const PROBLEM = {
  description: "A problem (RFC 9457).",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/** What an operation answers by default is a problem, whoever is to blame. */
function sayProblems(operation: Operation): void {
  const { default: _, ...answers } = operation.responses ?? {};
  operation.responses = { ...answers, "4XX": PROBLEM, "5XX": PROBLEM };
}
