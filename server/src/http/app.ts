/** The HTTP server: Fastify with our rules for validation, errors, authorization and shutdown. */
import swagger from "@fastify/swagger";
import type { TypeBoxTypeProvider } from "@fastify/type-provider-typebox";
import Fastify, { type FastifyBaseLogger, type FastifyInstance, LogController } from "fastify";
import cookie from "@fastify/cookie";
import { Access, type AccessOptions, type Identity, requireScope } from "./auth.ts";
import { compileSerializer, compileValidator } from "./compiled-schemas.ts";
import { checkNumbers, textOf } from "./exact-json.ts";
import { Cors } from "./cors.ts";
import { HostCheck, parseHosts } from "./hosts.ts";
import { type LeaseAccess, requireLeases } from "./lease-access.ts";
import { openApi } from "./openapi.ts";
import { opensPage, pageOf } from "./pages.ts";
import { checkOrigin } from "./origins.ts";
import { MethodIndex } from "./methods.ts";
import { HttpProblem, sendProblem } from "./problems.ts";
import { requireRunAccess, type RunAccess, runTokenIn } from "./run-access.ts";
import { includesScope, type Scope } from "./scopes.ts";
import {
  answerClientError,
  limitLateBody,
  type RequestTimeouts,
  serverTimeouts,
  withDefaults,
} from "./slow-clients.ts";
import { endUnread } from "./unread.ts";
import { acceptUpgrades, upgradeOptions } from "./upgrades.ts";

declare module "fastify" {
  interface FastifyContextConfig {
    /** The scope that a token requires; absent if no token is required. */
    readonly scope?: Scope | "any" | undefined;
    /** The part of its run that the route opens to run tokens. Default: nothing. */
    readonly runAccess?: RunAccess | undefined;
    /** Which leases a body names, for a route that is open to lease tokens. Default: it is not. */
    readonly leaseAccess?: LeaseAccess | undefined;
    /** The route answers whether a browser may send a request. */
    readonly isPreflight?: true;
    /** The handler makes its changes in the name of the caller, whom the audit records. */
    readonly isAudited?: true | undefined;
    /** The route is that of the session itself, and refreshes it. */
    readonly isSession?: true | undefined;
    /** The route is the sign-out, which requires no valid session. */
    readonly isSignOut?: true | undefined;
    /** Callers sign their requests, and the route identifies them by that. */
    readonly isSigned?: true;
    /** The body is a payload of any JSON, or missing. */
    readonly takesAnyBody?: true | undefined;
  }
  interface FastifyRequest {
    /** The caller; null if it is unknown, on a route that anyone may use. */
    identity: Identity | null;
    /** Whether the caller has this scope; true on a server without tokens. */
    may(scope: Scope): boolean;
  }
  interface FastifyInstance {
    /** Aborts when the server begins to stop: long polls return. */
    readonly stopping: AbortSignal;
  }
}

export interface AppOptions extends AccessOptions {
  /** Origins whose pages may use the routes that run tokens open. */
  readonly allowedOrigins: readonly string[];
  /** Host names that a server without tokens accepts, besides those of this machine. */
  readonly allowedHosts: readonly string[];
  /** Largest body, in bytes. */
  readonly bodyLimit: number;
  readonly timeouts: RequestTimeouts;
  readonly logger: FastifyBaseLogger | boolean;
  readonly version: string;
}

export type App = FastifyInstance<
  import("node:http").Server,
  import("node:http").IncomingMessage,
  import("node:http").ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

/** No name, receipt or topic is longer. */
const MAX_URL_PARAMETER = 4_096;

/** Makes an app without routes. */
export async function makeApp(options: AppOptions): Promise<App> {
  const timeouts = withDefaults(options.timeouts);
  const limits = serverTimeouts(timeouts);
  const app = Fastify({
    bodyLimit: options.bodyLimit,
    ...(typeof options.logger === "boolean"
      ? { logger: options.logger }
      : { loggerInstance: options.logger }),
    logController: new LogController({ disableRequestLogging: true }),
    // Addresses in proxy headers are not trusted.
    trustProxy: false,
    routerOptions: { maxParamLength: MAX_URL_PARAMETER, ignoreTrailingSlash: true },
    ...limits,
    http: { ...limits.http, ...upgradeOptions },
    clientErrorHandler: answerClientError,
    // A path that can't be decoded matches no route.
    frameworkErrors: sendProblem,
    return503OnClosing: false,
    forceCloseConnections: "idle",
    // Every GET has a HEAD, except streams, which would never end.
    exposeHeadRoutes: true,
    // `__proto__` in a body is data.
    onProtoPoisoning: "ignore",
    onConstructorPoisoning: "ignore",
  }).withTypeProvider<TypeBoxTypeProvider>() as unknown as App;
  endUnread(app.server, timeouts.unreadMs, app.log);
  acceptUpgrades(app.server, (request, response) => app.routing(request, response));

  const access = new Access(options);
  if (options.sessions !== undefined) await app.register(cookie);
  app.decorateRequest("identity", null);
  app.decorateRequest("may", function may(scope) {
    return this.identity !== null && includesScope(this.identity.scopes, scope);
  });
  const stopping = new AbortController();
  app.decorate("stopping", stopping.signal);
  app.addHook("preClose", async () =>
    stopping.abort(new HttpProblem("CONNECTION_FAILED", "The server is stopping. Try again.")),
  );

  acceptEmptyJson(app);
  app.setValidatorCompiler(compileValidator);
  app.setSerializerCompiler(compileSerializer);
  app.setErrorHandler(sendProblem);
  const methods = new MethodIndex();
  app.addHook("onRoute", ({ method, url }) => methods.add(method, url));
  const cors = new Cors(options.allowedOrigins);
  if (cors.isOn) addPreflights(app, cors);
  app.setNotFoundHandler((request, reply) => {
    if (opensPage(request) && app.hasRoute({ method: "GET", url: "/" })) {
      return reply.redirect(pageOf(options.sessions?.publicUrl ?? "/", request.url));
    }
    throw methods.explain(request.method, request.url);
  });
  const allowedHosts = new Set(parseHosts(options.allowedHosts));
  const hosts = new HostCheck(allowedHosts);
  app.addHook("onRequest", async (request, reply) => {
    const { scope, isSession, isSignOut, isPreflight, isSigned, runAccess } =
      request.routeOptions.config;
    const isAllowedPage = runAccess !== undefined && cors.answer(request, reply);
    if (access.isOpen) {
      hosts.check(request.headers.host);
      const isLimited = isPreflight === true || runTokenIn(request) !== undefined;
      if (!isAllowedPage || !isLimited) checkOrigin(request, allowedHosts);
    }
    if (isPreflight === true || isSigned === true) return;
    if (isSignOut === true) {
      const leaving = await access.identifyLeaving(request);
      if (leaving?.run !== undefined) requireRunAccess(leaving.run, request);
      request.identity = leaving;
      return;
    }
    let identity: Identity;
    try {
      identity = await access.identify(request, isSession === true ? reply : undefined);
    } catch (error) {
      // Anyone may use a route without a scope.
      if (scope === undefined && error instanceof HttpProblem) return;
      throw error;
    }
    if (identity.run !== undefined) {
      if (scope === undefined) return;
      requireRunAccess(identity.run, request);
      request.identity = identity;
      return;
    }
    request.identity = identity;
    // Its body tells whether the route is open: see `preValidation`.
    if (identity.leases !== undefined) return;
    if (scope !== undefined && scope !== "any") requireScope(request.identity, scope);
  });

  // Hooks that wait for nothing call back: each promise of each request costs as much as most of them do.
  app.addHook("preValidation", (request, _reply, done) => {
    // Without a body, validation sees an empty object, unless any JSON is a payload.
    if (request.body === undefined && request.routeOptions.config.takesAnyBody !== true) {
      request.body = {};
    }
    const leases = request.identity?.leases;
    if (leases !== undefined && request.routeOptions.config.scope !== undefined) {
      requireLeases(leases, request);
    }
    done();
  });
  app.addHook("onResponse", (request, _reply, done) => {
    limitLateBody(request, timeouts.lateBodyMs);
    done();
  });
  app.addHook("onSend", (request, reply, payload, done) => {
    if (request.url.startsWith("/v1/")) {
      reply.header("x-content-type-options", "nosniff");
      if (!reply.hasHeader("cache-control")) reply.header("cache-control", "no-store");
    }
    if (stopping.signal.aborted) reply.header("connection", "close");
    done(null, payload);
  });

  await app.register(swagger, openApi(options.version, !access.isOpen));
  return app;
}

/** Each path that run tokens open answers whether a browser may send its requests. */
function addPreflights(app: App, cors: Cors): void {
  app.addHook("onRoute", ({ method, url, config }) => {
    const runAccess = config?.runAccess;
    if (runAccess === undefined || config?.isPreflight === true) return;
    const isFirst = [method].flat().map((name) => cors.add(name, url));
    if (!isFirst.includes(true)) return;
    app.route({
      method: "OPTIONS",
      url,
      schema: { hide: true },
      config: { runAccess, isPreflight: true },
      handler: (request, reply) => cors.preflight(request, reply).send(),
    });
  });
}

/** Accepts requests with the content type JSON and no body, which many clients send. */
function acceptEmptyJson(app: App): void {
  const parse = app.getDefaultJsonParser("ignore", "ignore");
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    /^application\/(json|[\w.-]+\+json)\b/,
    { parseAs: "buffer" },
    (request, body, done) => {
      let text: string;
      try {
        text = textOf(body as Buffer);
      } catch (error) {
        done(error as Error);
        return;
      }
      if (text === "") done(null, undefined);
      else void parse(request, text, (error, value) => done(error ?? inexactnessOf(text), value));
    },
  );
}

function inexactnessOf(text: string): Error | null {
  try {
    checkNumbers(text, "body");
    return null;
  } catch (error) {
    return error as Error;
  }
}
