/** The OpenAPI document: everything beyond the schemas of the routes. */
import { STATUS_CODES } from "node:http";
import type { SwaggerOptions } from "@fastify/swagger";
import type { FastifySchema, RouteOptions } from "fastify";
import type { Scope } from "./scopes.ts";
import { ProblemBody } from "./schemas.ts";

const TAGS = {
  Runs: "Start, find, follow and change runs of workflows.",
  Workflows: "Workflows, their versions and their flow control.",
  Queues: "Queues and their messages.",
  Topics: "Publishing, subscriptions, dead letters and captured deliveries.",
  Schedules: "Schedules, which start runs at set times.",
  Definitions: "Workflows as data: drafts, versions, their runs, and the resources that they name.",
  Approvals: "What runs ask people, and their decisions.",
  Endpoints: "Functions to which servers push runs.",
  Worker: "The protocol of workers without a database connection. The SDK uses it.",
  Server: "Health and access.",
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
        description: "Durable workflows and queues in Postgres.",
        version,
        contact: { name: "Oxbow" },
        license: { name: "Apache-2.0", identifier: "Apache-2.0" },
      },
      servers: [{ url: "/", description: "The server that serves this document." }],
      tags: Object.entries(TAGS).map(([name, description]) => ({ name, description })),
      components: {
        schemas: { Problem: ProblemBody },
        securitySchemes: {
          token: {
            type: "http",
            scheme: "bearer",
            description: "A token of OXBOW_TOKENS, with the listed scope or admin.",
          },
        },
      },
      security: hasTokens ? [{ token: [] }] : [{}, { token: [] }],
    },
    transform: ({ schema, url, route }) => ({ schema: described(schema, route, hasTokens), url }),
    transformObject: (document) => {
      if (!("openapiObject" in document)) throw new Error("Expected an OpenAPI document.");
      const { openapiObject } = document;
      for (const path of Object.values(openapiObject.paths ?? {})) {
        for (const operation of Object.values(path ?? {})) {
          if (typeof operation === "object" && "responses" in operation)
            describeResponses(operation);
        }
      }
      return openapiObject;
    },
  };
}

function described(
  schema: Described | undefined,
  { config }: RouteOptions,
  hasTokens: boolean,
): Described {
  if (schema === undefined || schema.hide === true) return { ...schema, hide: true };
  return {
    ...schema,
    description: schema.description ?? `${schema.summary ?? ""}.`,
    security: securityOf(config?.scope, hasTokens),
  };
}

type Requirement = Readonly<Record<string, readonly string[]>>;

/** The scope is listed as a role of the token. */
function securityOf(scope: Scope | "any" | undefined, hasTokens: boolean): Requirement[] {
  if (scope === undefined) return [];
  const token = { token: scope === "any" ? [] : [scope] };
  return hasTokens ? [token] : [{}, token];
}

interface Operation {
  responses?: Record<string, object>;
}

const PROBLEM = {
  description: "A problem, as in RFC 9457.",
  content: { "application/problem+json": { schema: { $ref: "#/components/schemas/Problem" } } },
};

/** Names the status of each response, and adds problems: any operation can fail. */
function describeResponses(operation: Operation): void {
  const named = Object.entries(operation.responses ?? {}).map(([status, response]) => [
    status,
    "description" in response && response.description === "Default Response"
      ? { ...response, description: STATUS_CODES[status] ?? status }
      : response,
  ]);
  operation.responses = {
    ...(Object.fromEntries(named) as Record<string, object>),
    "4XX": PROBLEM,
    "5XX": PROBLEM,
  };
}
