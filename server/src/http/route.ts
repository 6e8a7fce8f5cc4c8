/** A route as one value: where it is, who may use it, its schemas, its texts and its handler. */
import { type DeclaredCalls, declaredIn } from "@oxbow/declared/internal";
import type { Committer, Emitter, RunTokenKeys, Transport } from "@oxbow/sdk/internal/server";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import type {
  ContextConfigDefault,
  FastifyRequest,
  FastifySchema,
  RawServerDefault,
  RouteGenericInterface,
  RouteHandlerMethod,
} from "fastify";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Sessions } from "../sign-in/sessions.ts";
import type { WebhookSecrets } from "../services/deliveries/webhook-secrets.ts";
import type { ServerEvents } from "../events.ts";
import type { RunMarks } from "../routes/runs/run-marks.ts";
import type { Readiness } from "../telemetry/readiness.ts";
import type { Scrape } from "../telemetry/scrape.ts";
import type { App } from "./app.ts";
import type { LeaseAccess } from "./lease-access.ts";
import type { RunAccess } from "./run-access.ts";
import type { Scope } from "./scopes.ts";
import type { Tag } from "./openapi.ts";

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
  /** The scope that a token requires; absent if no token is required. */
  readonly scope?: Scope | "any";
  /** The part of its run that the route opens to run tokens. Default: nothing. */
  readonly runAccess?: RunAccess | undefined;
  /** Which leases a body names, for a route that is open to lease tokens. Default: it is not. */
  readonly leaseAccess?: LeaseAccess | undefined;
  /** The route is that of the session itself, and refreshes it. */
  readonly isSession?: true;
  /** The route is the sign-out, which requires no valid session. */
  readonly isSignOut?: true;
  /** The handler makes its changes in the name of the caller, whom the audit records. */
  readonly isAudited?: true;
  /** Largest body in bytes. Default: the server's. */
  readonly bodyLimit?: number;
  /** The body is a payload of any JSON, or missing. */
  readonly takesAnyBody?: true;
  /** The response is a stream, so HEAD would never end. */
  readonly isStream?: true;
  /** The handler asks workers, so HEAD would do work whose result nobody reads. */
  readonly isWork?: true;
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
  runAccess,
  leaseAccess,
  isSession,
  isSignOut,
  isAudited,
  bodyLimit,
  takesAnyBody,
  isStream,
  isWork,
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
        exposeHeadRoute: isStream !== true && isWork !== true,
        config: {
          ...(scope === undefined ? {} : { scope }),
          ...(runAccess === undefined ? {} : { runAccess }),
          ...(leaseAccess === undefined ? {} : { leaseAccess }),
          ...(isAudited === undefined ? {} : { isAudited }),
          ...(isSession === undefined ? {} : { isSession }),
          ...(isSignOut === undefined ? {} : { isSignOut }),
          ...(takesAnyBody === undefined ? {} : { takesAnyBody }),
        },
        ...(bodyLimit === undefined ? {} : { bodyLimit }),
        handler: (request, reply) =>
          handler(
            request as never,
            reply as never,
            isAudited === true ? actingFor(context, request) : context,
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
