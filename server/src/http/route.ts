/** A route as one value: where it is, who may use it, its schemas, its texts and its handler. */
import type { Emitter, Transport } from "@oxbow/sdk/internal";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  ContextConfigDefault,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { WebhookSecrets } from "../services/deliveries/webhook-secrets.ts";
import type { ServerEvents } from "../events.ts";
import type { Scrape } from "../telemetry/scrape.ts";
import type { App } from "./app.ts";
import type { Tag } from "./openapi.ts";
import type { Scope } from "./scopes.ts";

/** The collaborators of handlers. */
export interface RouteContext {
  readonly transport: Transport;
  readonly events: Pick<Emitter<ServerEvents>, "emit">;
  readonly scrape: Scrape;
  readonly secrets: WebhookSecrets;
  /** Ceiling of the retention of runs, in days. */
  readonly maxRetentionDays: number;
}

/** A route, without the types of its schema. */
export interface Route {
  addTo(app: App, context: RouteContext, tag: Tag): void;
}

interface RouteSchema extends FastifySchema {
  readonly summary?: string;
  /** Default: the summary. */
  readonly description?: string;
  /** Leaves the route out of the OpenAPI document. */
  readonly hide?: true;
}

type Handler<Schema extends FastifySchema> = RouteHandlerMethod<
  RawServerDefault,
  IncomingMessage,
  ServerResponse,
  RouteGenericInterface,
  ContextConfigDefault,
  Schema,
  TypeBoxTypeProvider
>;

export interface RouteDefinition<Schema extends RouteSchema> {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Name of the operation, from which generated clients make a method. It never changes. */
  readonly operationId?: string;
  /** The scope that a token requires; absent: no token is required. */
  readonly scope?: Scope | "any";
  /** Largest body in bytes. Default: the server's. */
  readonly bodyLimit?: number;
  /** The body is a payload of any JSON, or missing. */
  readonly takesAnyBody?: true;
  /** The response is a stream, so HEAD would never end. */
  readonly isStream?: true;
  readonly schema: Schema;
  readonly handler: (
    request: Parameters<Handler<Schema>>[0],
    reply: Parameters<Handler<Schema>>[1],
    context: RouteContext,
  ) => ReturnType<Handler<Schema>>;
}

export function route<const Schema extends RouteSchema>({
  method,
  path,
  operationId,
  scope,
  bodyLimit,
  takesAnyBody,
  isStream,
  schema,
  handler,
}: RouteDefinition<Schema>): Route {
  return {
    addTo: (app, context, tag) => {
      const described: FastifySchema =
        operationId === undefined ? schema : { ...schema, operationId, tags: [tag] };
      app.route({
        method,
        url: path,
        schema: described,
        exposeHeadRoute: isStream !== true,
        config: {
          ...(scope === undefined ? {} : { scope }),
          ...(takesAnyBody === undefined ? {} : { takesAnyBody }),
        },
        ...(bodyLimit === undefined ? {} : { bodyLimit }),
        handler: (request, reply) => handler(request as never, reply as never, context) as never,
      });
    },
  };
}
