/** Which scope each route requires. A route that is missing here fails the test, so that no scope is chosen by accident. */
import {
  Emitter,
  type RunPermission,
  LeaseTokenKeys,
  RunTokenKeys,
  type Transport,
} from "@oxbow/sdk/internal/server";
import fastJsonStringify, { type AnySchema } from "fast-json-stringify";
import type { FastifySchema } from "fastify";
import { beforeAll, expect, it } from "vitest";
import type { ServerEvents } from "../events.ts";
import { type App, makeApp } from "../http/app.ts";
import { compileValidator } from "../http/compiled-schemas.ts";
import { type Scope, SCOPES } from "../http/scopes.ts";
import { parseTokens } from "../http/tokens.ts";
import { serverDefaults } from "../defaults.ts";
import { Sessions } from "../sign-in/sessions.ts";
import { WebhookSecrets } from "../services/deliveries/webhook-secrets.ts";
import { Metrics } from "../telemetry/metrics.ts";
import { Readiness } from "../telemetry/readiness.ts";
import { Scrape } from "../telemetry/scrape.ts";
import { addRoutes } from "./table.ts";

const ROUTES: Readonly<Record<Scope | "any token" | "anyone", string>> = {
  anyone: `
    GET /approve/:token
    POST /approve/:token
    GET /auth/callback
    GET /auth/sign-in
    GET /healthz
    GET /openapi.json
    GET /readyz
    POST /v1/hooks/:hook_id
    GET /v1/sign-in`,
  "any token": `
    GET /v1/approvals
    GET /v1/approvals/:approval_id
    GET /v1/check
    DELETE /v1/session
    GET /v1/session`,
  read: `
    GET /metrics
    GET /v1/audit
    GET /v1/captured-deliveries
    GET /v1/catalog
    GET /v1/catalog/resources/:type
    GET /v1/config
    GET /v1/dead-letter-queues
    GET /v1/definitions
    GET /v1/definitions/:name
    GET /v1/definitions/:name/diff
    GET /v1/definitions/:name/draft
    POST /v1/definitions/:name/explain
    GET /v1/definitions/:name/once
    GET /v1/definitions/:name/trigger-events/:eventId
    POST /v1/definitions/:name/validate
    GET /v1/definitions/:name/versions
    GET /v1/definitions/:name/versions/:version
    GET /v1/incarnation
    GET /v1/invariants
    GET /v1/queues
    GET /v1/queues/:name
    GET /v1/queues/:name/depths
    GET /v1/queues/:name/messages
    GET /v1/references/:type/:id
    POST /v1/references/:type/:id/assert-none
    GET /v1/resource-types
    GET /v1/runs/:run_id
    GET /v1/runs/:run_id/children
    GET /v1/runs/:run_id/events
    GET /v1/runs/:run_id/explain
    GET /v1/runs/:run_id/generations
    GET /v1/runs/:run_id/progress
    GET /v1/runs/:run_id/progress/events
    GET /v1/runs/:run_id/state
    GET /v1/runs/:run_id/steps
    GET /v1/runs/:run_id/stream
    POST /v1/runs/:run_id/token
    POST /v1/runs/count
    POST /v1/runs/sum
    POST /v1/runs/export
    POST /v1/runs/search
    GET /v1/schedules
    GET /v1/schedules/:name
    GET /v1/subscriptions
    GET /v1/subscriptions/:subscription_id
    GET /v1/ticks
    GET /v1/topics/:pattern/subscriptions
    POST /v1/topics/:pattern/targets
    GET /v1/trigger-events
    GET /v1/trigger-types
    GET /v1/workers
    GET /v1/workflow-tools
    GET /v1/workflows
    GET /v1/workflows/:name/events
    GET /v1/workflows/:name/flow-control
    GET /v1/workflows/:name/runs
    GET /v1/workflows/:name/runs/:run_id
    GET /v1/workflows/:name/runs/:run_id/children
    GET /v1/workflows/:name/runs/:run_id/events
    GET /v1/workflows/:name/runs/:run_id/explain
    GET /v1/workflows/:name/runs/:run_id/generations
    GET /v1/workflows/:name/runs/:run_id/state
    GET /v1/workflows/:name/runs/:run_id/steps
    GET /v1/workflows/:name/versions`,
  produce: `
    POST /v1/definitions/:name/runs
    POST /v1/queues/:name/messages
    DELETE /v1/runs/:run_id
    POST /v1/runs/:run_id/signals/:event
    POST /v1/schedules/:name/trigger
    POST /v1/topics/:pattern/messages
    POST /v1/workflows/:name/runs
    DELETE /v1/workflows/:name/runs/:run_id
    POST /v1/workflows/:name/runs/:run_id/signals/:event
    POST /v1/workflows/:name/runs/batch
    POST /v1/workflows/:name/runs/signal-with-start`,
  work: `
    POST /v1/queues/:name/delete
    POST /v1/queues/:name/give-back
    DELETE /v1/queues/:name/messages/:receipt
    PATCH /v1/queues/:name/messages/:receipt
    POST /v1/queues/:name/receive
    POST /v1/worker/captures
    POST /v1/worker/commit
    POST /v1/worker/config
    GET /v1/worker/definitions
    POST /v1/worker/definitions
    POST /v1/worker/heartbeat
    POST /v1/worker/journal-page
    POST /v1/worker/next-visible
    PUT /v1/worker/node-types
    DELETE /v1/worker/presence/:worker_id
    PUT /v1/worker/presence/:worker_id
    POST /v1/worker/progress
    POST /v1/worker/receive
    PUT /v1/worker/resource-types
    POST /v1/worker/triggers/commit
    POST /v1/worker/triggers/receive
    POST /v1/worker/triggers/types
    PUT /v1/worker/versions
    GET /v1/worker/relay
    GET /v1/worker/wake
    POST /v1/workflows/:name/flow-control/charge
    PUT /v1/workflows/:name/flow-control`,
  admin: `
    DELETE /v1/config/:name
    PUT /v1/config/:name
    PATCH /v1/definitions/:name
    POST /v1/definitions/:name/runs/:run_id/rerun
    GET /v1/deliveries
    GET /v1/deliveries/:delivery_id
    POST /v1/deliveries/resend
    GET /v1/endpoints
    POST /v1/endpoints
    DELETE /v1/endpoints/:endpoint_id
    GET /v1/endpoints/:endpoint_id
    POST /v1/endpoints/:endpoint_id/pause
    POST /v1/endpoints/:endpoint_id/resume
    POST /v1/endpoints/:endpoint_id/sync
    POST /v1/incarnation/release
    POST /v1/queues
    PATCH /v1/queues/:name
    DELETE /v1/queues/:name
    DELETE /v1/queues/:name/messages
    POST /v1/queues/:name/move
    POST /v1/queues/:name/redrive
    PUT /v1/reference-owners/:owner_type/:owner_id
    PATCH /v1/runs/:run_id
    POST /v1/runs/:run_id/delete
    POST /v1/runs/:run_id/pause
    POST /v1/runs/:run_id/rerun
    POST /v1/runs/:run_id/resume
    POST /v1/runs/:run_id/retry
    POST /v1/runs/change
    POST /v1/runs/sweep
    DELETE /v1/schedules/:name
    PUT /v1/schedules/:name
    POST /v1/schedules/:name/pause
    POST /v1/schedules/:name/resume
    DELETE /v1/subscriptions/:subscription_id
    POST /v1/subscriptions/:subscription_id/enable
    GET /v1/subscriptions/:subscription_id/secret
    GET /v1/topic-dead-letters
    POST /v1/topic-dead-letters/delete
    POST /v1/topic-dead-letters/redrive
    POST /v1/topics/:pattern/subscriptions
    DELETE /v1/topics/:pattern/subscriptions/:subscription_id
    PATCH /v1/workflows/:name/runs/:run_id
    POST /v1/workflows/:name/runs/:run_id/delete
    POST /v1/workflows/:name/runs/:run_id/pause
    POST /v1/workflows/:name/runs/:run_id/rerun
    POST /v1/workflows/:name/runs/:run_id/resume
    POST /v1/workflows/:name/runs/:run_id/retry
    DELETE /v1/workflows/:name/versions/:version`,
  define: `
    POST /v1/definitions
    PUT /v1/definitions
    PUT /v1/definitions/:name/draft
    PUT /v1/definitions/:name/layout
    POST /v1/definitions/:name/nodes/:node/test
    POST /v1/definitions/:name/restore
    POST /v1/definitions/:name/tests
    DELETE /v1/definitions/:name/tests/:run_id`,
  publish: `
    DELETE /v1/definitions/:name
    POST /v1/definitions/:name/archive
    GET /v1/definitions/:name/hooks
    POST /v1/definitions/:name/once/forget
    POST /v1/definitions/:name/pause
    POST /v1/definitions/:name/publish
    POST /v1/definitions/:name/resume
    POST /v1/definitions/:name/runs/:run_id/migrate`,
  approve: `
    POST /v1/approvals/:approval_id/decision
    POST /v1/approvals/:approval_id/links`,
  act: "",
};

let app: App;
const runTokens = new RunTokenKeys(["k".repeat(32)]);
const leaseTokens = new LeaseTokenKeys(["l".repeat(32)]);
const found: { readonly route: string; readonly scope: string }[] = [];
const audited: string[] = [];
const schemas: { readonly route: string; readonly schema: FastifySchema }[] = [];

interface Content {
  readonly schema: AnySchema;
}

const secretOf = (scope: Scope): string => scope.padEnd(32, ".");

/** Handlers must not be reached without a scope, and whatever they do here fails. */
const nothing = new Proxy({} as Transport, {
  get: () => {
    throw new Error("There is no database.");
  },
});

beforeAll(async () => {
  const tokens = parseTokens(SCOPES.map((scope) => `${secretOf(scope)}:${scope}`).join(","));
  const sessions = new Sessions({
    issuer: "http://localhost:1",
    clientId: "oxbow",
    publicUrl: "https://oxbow.example.com/",
    sessionSecrets: ["s".repeat(32)],
    roles: new Map(),
  });
  app = await makeApp({ ...serverDefaults, tokens, sessions, runTokens, leaseTokens });
  app.addHook("onRoute", ({ method, url, config, schema }) => {
    if (method === "HEAD") return;
    if (schema !== undefined) schemas.push({ route: `${String(method)} ${url}`, schema });
    if (config?.isAudited === true) audited.push(`${String(method)} ${url}`);
    found.push({ route: `${String(method)} ${url}`, scope: config?.scope ?? "anyone" });
  });
  const events = new Emitter<ServerEvents>();
  addRoutes(app, {
    transport: nothing,
    declared: nothing as never,
    events,
    readiness: new Readiness(nothing),
    scrape: new Scrape(new Metrics(), nothing),
    secrets: new WebhookSecrets([]),
    sessions,
    hasTokens: true,
    runTokens,
    committer: { submit: () => Promise.reject(new Error("There is no database.")) },
    runMarks: nothing as never,
    maxRetentionDays: 365,
  });
  await app.ready();
  return () => app.close();
});

const isFile = (route: string): boolean =>
  /^GET \/(dashboard\/|$|[\w-]+\.(css|html|svg|txt)$)/.test(route);

const listed = Object.entries(ROUTES).flatMap(([scope, routes]) =>
  routes
    .split("\n")
    .map((route) => route.trim())
    .filter((route) => route !== "")
    .map((route) => ({ route, scope: scope === "any token" ? "any" : scope })),
);

it("lists each route with its scope", () => {
  const own = found.filter(({ route }) => !isFile(route));
  const sorted = (routes: typeof own) =>
    routes.map(({ scope, route }) => `${scope}: ${route}`).toSorted();
  expect(sorted(own)).toEqual(sorted(listed));
});

it("audits all that administrators change, and what other scopes change by hand", () => {
  const changes = listed
    .filter(({ scope, route }) => /^(admin|publish)$/.test(scope) && !route.startsWith("GET "))
    .map(({ route }) => route)
    // It deletes what is past its retention, as the sweeper does.
    .filter((route) => route !== "POST /v1/runs/sweep");
  const others = [
    "DELETE /v1/runs/:run_id",
    "DELETE /v1/workflows/:name/runs/:run_id",
    "POST /v1/schedules/:name/trigger",
    "PUT /v1/workflows/:name/flow-control",
    "POST /v1/definitions",
    "PUT /v1/definitions",
    "POST /v1/definitions/:name/restore",
    "POST /v1/definitions/:name/tests",
    "POST /v1/definitions/:name/nodes/:node/test",
    "DELETE /v1/definitions/:name/tests/:run_id",
    "POST /v1/approvals/:approval_id/decision",
    "POST /v1/approvals/:approval_id/links",
  ];
  expect(audited.toSorted()).toEqual([...changes, ...others].toSorted());
});

it("has schemas that compile, as the first request of a route compiles them", () => {
  expect(schemas.length).toBeGreaterThan(80);
  for (const { route, schema } of schemas) {
    for (const httpPart of ["body", "params", "querystring", "headers"] as const) {
      const part = schema[httpPart];
      // Compiles the schema, whatever it says of null.
      if (typeof part === "object" && part !== null)
        compileValidator({ schema: part, httpPart })(null);
    }
    for (const [status, answer] of Object.entries(schema.response ?? {})) {
      const { content, ...plain } = answer as { readonly content?: Record<string, Content> };
      const answers =
        content === undefined ? [plain] : Object.values(content).map((one) => one.schema);
      for (const one of answers) {
        expect(() => fastJsonStringify(one), `${route} ${status}`).not.toThrow();
      }
    }
  }
});

it.each(listed)("$route is for $scope", async ({ route, scope }) => {
  const [method = "", path = ""] = route.split(" ");
  const url = path.replaceAll(/:\w+/g, "1");
  const ask = async (headers: Record<string, string>): Promise<number> => {
    const response = await app.inject({ method: method as "GET", url, headers });
    const { statusCode } = response;
    const isProblem =
      response.headers["content-type"] === "application/problem+json" &&
      response.json<{ status: number }>().status === statusCode;
    expect([401, 403].includes(statusCode) && !isProblem).toBe(false);
    return statusCode;
  };
  const isOpen = scope === "anyone";
  expect((await ask({})) === 401).toBe(!isOpen);
  expect((await ask({ authorization: "Bearer unknown" })) === 401).toBe(!isOpen);
  for (const own of SCOPES) {
    const status = await ask({ authorization: `Bearer ${secretOf(own)}` });
    const isAllowed =
      isOpen || ["any", own].includes(scope) || (own === "admin" && scope !== "act");
    expect([route, own, status === 403]).toEqual([route, own, !isAllowed]);
    expect(status).not.toBe(401);
  }
});

/** Routes that run tokens open, each with its permission. */
const OPENED: Readonly<Record<string, string>> = {
  "GET /v1/runs/:run_id": "read",
  "GET /v1/runs/:run_id/events": "read",
  "GET /v1/runs/:run_id/progress": "read",
  "GET /v1/runs/:run_id/progress/events": "read",
  "GET /v1/runs/:run_id/state": "read",
  "GET /v1/runs/:run_id/stream": "stream",
  "POST /v1/runs/:run_id/signals/:event": "signal:1",
};

it.each(listed)("a run token opens $route only if it is for one run", async ({ route, scope }) => {
  const [method = "", path = ""] = route.split(" ");
  const url = path.replaceAll(/:\w+/g, "1");
  const ask = async (runId: string, allow: readonly string[]): Promise<number> => {
    const token = await runTokens.sign({
      runId,
      allow: allow as readonly RunPermission[],
      ttlMs: 60_000,
      name: undefined,
    });
    const headers = { authorization: `Bearer ${token}` };
    return (await app.inject({ method: method as "GET", url, headers })).statusCode;
  };
  if (scope === "anyone") return;
  const all = ["read", "stream", "signal:1"];
  const permission = OPENED[route];
  expect(await ask("2", all)).toBe(403);
  expect((await ask("1", all)) === 403).toBe(permission === undefined);
  const others = all.filter((one) => one !== permission);
  expect(await ask("1", [...others, "signal:2"])).toBe(403);
});
