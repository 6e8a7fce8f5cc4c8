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

export type Tag = keyof typeof TAGS;

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
    transform: ({ schema, url, route }) => ({ schema: described(schema, route), url }),
    transformObject: (document) => {
      if (!("openapiObject" in document)) throw new Error("There is no OpenAPI document.");
      const { openapiObject } = document;
      for (const path of Object.values(openapiObject.paths ?? {})) {
        for (const operation of Object.values(path ?? {})) {
          if (typeof operation === "object" && "responses" in operation) addProblems(operation);
        }
      }
      return openapiObject;
    },
  };
}

function described(schema: Described | undefined, route: RouteOptions): Described {
  if (schema === undefined || schema.hide === true) return { ...schema, hide: true };
  return {
    ...schema,
    description: schema.description ?? `${schema.summary ?? ""}.`,
    ...(route.config?.scope === undefined ? { security: [] } : {}),
  };
}

interface Operation {
  responses?: Record<string, unknown>;
}

const PROBLEM = {
  description: "A problem (RFC 9457).",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/** Any operation can fail with a problem. */
function addProblems(operation: Operation): void {
  operation.responses = { ...operation.responses, "4XX": PROBLEM, "5XX": PROBLEM };
}
