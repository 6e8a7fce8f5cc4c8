/** A route as one value: where it is, who may use it, its schemas, its texts and its handler. */
import { type DeclaredCalls, declaredIn } from "@oxbow/declared/internal";
import type { Committer, Emitter, RunTokenKeys, Transport } from "@oxbow/sdk/internal/server";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  ContextConfigDefault,
  FastifyContextConfig,
  FastifyReply,
  FastifyRequest,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { TSchema } from "typebox";
import type { Sessions } from "../sign-in/sessions.ts";
import type { WebhookSecrets } from "../services/deliveries/webhook-secrets.ts";
import type { ServerEvents } from "../events.ts";
import type { RunMarks } from "../routes/runs/run-marks.ts";
import type { Readiness } from "../telemetry/readiness.ts";
import type { Scrape } from "../telemetry/scrape.ts";
import type { App } from "./app.ts";
import type { Tag } from "./openapi.ts";
import type { Shown } from "./schemas.ts";

/** The collaborators of handlers. */
export interface RouteContext {
  readonly transport: Transport;
  /** The rooms of definitions of the transport. */
  readonly declared: DeclaredCalls;
  readonly events: Pick<Emitter<ServerEvents>, "emit">;
  readonly readiness: Readiness;
  readonly scrape: Scrape;
  readonly secrets: WebhookSecrets;
  /** Sessions of users who sign in by OpenID Connect; undefined if sign-in is off. */
  readonly sessions: Sessions | undefined;
  readonly hasTokens: boolean;
  /** Keys that sign run tokens. */
  readonly runTokens: RunTokenKeys;
  /** Groups commits of functions. */
  readonly committer: Pick<Committer, "submit">;
  /** Wakes followers of runs. */
  readonly runMarks: Pick<RunMarks, "follow">;
  /** Ceiling of the retention of runs, in days. */
  readonly maxRetentionDays: number;
}

/** A route, without the types of its schemas. */
export interface Route {
  /** @param name Name of the operation, from which generated clients make a method. It never changes. */
  addTo(app: App, context: RouteContext, name: string, tag: Tag): void;
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

/** Facts of a route for the hooks. */
type Config = Omit<FastifyContextConfig, "url" | "method" | "isPreflight" | "isSigned">;

export interface RouteDefinition<Params, Query, Headers, Body, Response> extends Config {
  readonly method: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly path: string;
  /** Largest body in bytes. Default: the server's. */
  readonly bodyLimit?: number;
  /** The response is a stream, so HEAD would never end. */
  readonly isStream?: true;
  /** The handler asks workers, so HEAD would do work only to drop its result. */
  readonly isWork?: true;
  /** Leaves the route out of the OpenAPI document. */
  readonly hide?: true;
  readonly summary?: string;
  /** Default: the summary. */
  readonly description?: string;
  readonly params?: Params;
  readonly querystring?: Query;
  readonly headers?: Headers;
  readonly body?: Body;
  readonly response?: Response;
  readonly handler: (
    request: Parameters<Handler<Schemas<Params, Query, Headers, Body, Response>>>[0],
    context: RouteContext,
    reply: Parameters<Handler<Schemas<Params, Query, Headers, Body, Response>>>[1],
  ) => Answer<Response> | Promise<Answer<Response>>;
}

/** A value of a schema of the response, or what became of the reply. */
type Answer<Response> =
  | FastifyReply
  | {
      [Status in keyof Response]: Response[Status] extends TSchema
        ? Shown<Response[Status]>
        : never;
    }[keyof Response]
  | void;

interface Schemas<Params, Query, Headers, Body, Response> {
  params: Params;
  querystring: Query;
  headers: Headers;
  body: Body;
  response: Response;
}

export function route<
  const Params = unknown,
  const Query = unknown,
  const Headers = unknown,
  const Body = unknown,
  const Response = unknown,
>(definition: RouteDefinition<Params, Query, Headers, Body, Response>): Route {
  const { method, path, bodyLimit, isStream, isWork, handler, ...facts } = definition;
  const { scope, runAccess, leaseAccess, isAudited, isSession, isSignOut, ...more } = facts;
  const { takesAnyBody, ...schema } = more;
  const config = { scope, runAccess, leaseAccess, isAudited, isSession, isSignOut, takesAnyBody };
  return {
    addTo: (app, context, name, tag) => {
      app.route({
        method,
        url: path,
        schema: { ...schema, operationId: name, tags: [tag] },
        exposeHeadRoute: isStream !== true && isWork !== true,
        config,
        ...(bodyLimit === undefined ? {} : { bodyLimit }),
        handler: (request, reply) =>
          handler(
            request as never,
            isAudited === true ? actingFor(context, request) : context,
            reply as never,
          ) as never,
      });
    },
  };
}

/**
 * The context for a start. If the caller may decide approvals, the run is started in the caller's name, so that requests
 * can exclude the starter. Other starts are not affected: they are grouped.
 */
export function startingFor(context: RouteContext, request: FastifyRequest): RouteContext {
  const { identity } = request;
  const isPerson = identity?.kind === "user" || identity?.kind === "delegate";
  return isPerson || identity?.scopes.has("approve") === true
    ? actingFor(context, request)
    : context;
}

/** The context for a signal: that of a run token is recorded in the name of its holder. Other signals are not recorded. */
export const signallingFor = (context: RouteContext, request: FastifyRequest): RouteContext =>
  request.identity?.run === undefined ? context : actingFor(context, request);

/** The same context, whose transport makes changes in the name of the caller. */
function actingFor(context: RouteContext, { identity, ip }: FastifyRequest): RouteContext {
  const { transport } = context;
  if (identity === null) throw new Error("An audited route requires a scope.");
  const { actor, kind, token } = identity;
  const acting = transport.actingFor?.({ actor, kind, token, address: ip });
  if (acting === undefined) return context;
  return { ...context, transport: acting, declared: declaredIn(acting) };
}
