/** The server: routes over one transport, and background services. It keeps no state. */
import { randomBytes } from "node:crypto";
import { declaredIn } from "@oxbow/declared/internal";
import { connect } from "@oxbow/fleet/internal";
import {
  type ConnectOptions,
  diagnose,
  Emitter,
  type Finding,
  LeaseTokenKeys,
  makeCommitter,
  RunTokenKeys,
  type Transport,
  Turns,
  within,
} from "@oxbow/sdk/internal/server";
import type { FastifyBaseLogger } from "fastify";
import { serverDefaults } from "./defaults.ts";
import type { ServerEvents } from "./events.ts";
import type { AccessKey } from "./http/access-keys.ts";
import { type App, type AppOptions, makeApp } from "./http/app.ts";
import type { Token } from "./http/tokens.ts";
import { parseOrigins } from "./http/cors.ts";
import { isLoopbackName } from "./http/hosts.ts";
import { InFlight } from "./http/in-flight.ts";
import type { RequestTimeouts } from "./http/slow-clients.ts";
import { RunMarks } from "./routes/runs/run-marks.ts";
import { addRoutes } from "./routes/table.ts";
import type { DeliverySettings } from "./services/deliveries/settings.ts";
import { Sessions } from "./sign-in/sessions.ts";
import type { SignInSettings } from "./sign-in/settings.ts";
import { WebhookSecrets } from "./services/deliveries/webhook-secrets.ts";
import { makeServices } from "./services/services.ts";
import { logEvents } from "./telemetry/log.ts";
import { Metrics } from "./telemetry/metrics.ts";
import { Readiness } from "./telemetry/readiness.ts";
import { Scrape } from "./telemetry/scrape.ts";
import { addMcp } from "./mcp/endpoint.ts";
import { addSqs } from "./sqs/endpoint.ts";
import { warmUp } from "./warm-up.ts";

export interface ServerOptions {
  /** `postgres://…`, unless there are `shards`. */
  readonly url?: string | undefined;
  /** The shards of a fleet by name, as for clients. */
  readonly shards?: ConnectOptions["shards"];
  /** A standby of the database, for lists, counts and metrics. Default: the database itself. */
  readonly readUrl?: string;
  /** Default 8080; 0 chooses a free port. */
  readonly port?: number;
  /** Default 127.0.0.1 without tokens, otherwise all addresses. */
  readonly host?: string;
  readonly tokens?: readonly Token[];
  /** How users sign in by OpenID Connect. Default: they can't. */
  readonly signIn?: SignInSettings | undefined;
  /** Without tokens: host names that requests may have, for instance of a proxy. Default: those of this machine. */
  readonly allowedHosts?: readonly string[];
  /** Origins, such as https://shop.example.com, whose pages may use the routes that run tokens open. Default: none. */
  readonly allowedOrigins?: readonly string[];
  /** Secrets of at least 32 characters for run tokens: the first signs, all of them verify. Default: no run tokens. */
  readonly runTokenKeys?: readonly string[];
  /**
   * Secrets of at least 32 characters that this server and functions share: the first signs what the server pushes to
   * endpoints, and functions accept all of theirs. Default: the server pushes only to endpoints of this machine.
   */
  readonly signingKeys?: readonly string[];
  /** `https://…`, by which functions reach this server. Default: its own address, for functions of this machine. */
  readonly publicUrl?: string | undefined;
  /** Whether clients of SQS are answered. Default false. */
  readonly sqs?: boolean;
  /**
   * Whether clients of the Model Context Protocol are answered at /mcp: true with tools that read, `start` also with the
   * workflows that are exposed, `operate` also with tools that change something, for callers with the scopes. Default
   * false.
   */
  readonly mcp?: boolean | "start" | "operate";
  /** Keys that sign requests of clients of SQS. Default: without tokens, any signature will do. */
  readonly accessKeys?: readonly AccessKey[];
  /** Most database connections, without the listening one. Default 10. */
  readonly maxConnections?: number;
  /** Largest body in bytes. Default 1 MiB. */
  readonly bodyLimit?: number;
  /** How long clients may take to send a request. */
  readonly timeouts?: RequestTimeouts;
  /** 0: this server doesn't sweep. Default 5 minutes. */
  readonly sweepIntervalMs?: number;
  /** Whether this server starts the runs of schedules, as workers with a database connection do. Default true. */
  readonly schedules?: boolean;
  /** Ceiling of the retention of runs. Default 365. */
  readonly maxRetentionDays?: number;
  /** How long entries of the audit are kept, 7 to 36,500. Default 365. */
  readonly auditRetentionDays?: number;
  /** Deliveries of topics to urls. */
  readonly deliveries?: DeliverySettings;
  readonly logger?: FastifyBaseLogger | boolean;
  readonly version?: string;
  /** Whether the server sends requests to itself for a quarter of a second before it listens, so that the first clients don't wait for its code to be compiled. Default true. */
  readonly warmsUp?: boolean;
}

export interface RunningServer {
  /** `http://host:port`. */
  readonly url: string;
  /** The OpenAPI document. */
  readonly description: unknown;
  /** Answers the requests in flight, ends long polls and services, and closes all connections. */
  stop(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
/** Requests that take longer are cut off when the server stops. */
const STOP_WITHIN_MS = 25_000;
/** Longer than deliveries need. Services that take longer are waiting for a database that doesn't answer. */
const IDLE_WITHIN_MS = 16_000;

/**
 * Starts a server. It connects to the database at the first request.
 *
 * @throws Error if it would listen to other machines without tokens.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const given = { ...serverDefaults, ...options };
  const { tokens, signIn, version, maxRetentionDays } = given;
  const isOpen = tokens.length === 0 && signIn === undefined;
  const host = options.host ?? (isOpen ? LOOPBACK : "0.0.0.0");
  if (isOpen && !isLoopbackName(host)) {
    throw new Error(
      `Without tokens, anyone who can reach ${host} could use the server. Set OXBOW_TOKENS, or set HOST to 127.0.0.1.`,
    );
  }
  const runTokens = new RunTokenKeys(given.runTokenKeys);
  // Without a key, tokens hold for this process.
  const leaseTokens = new LeaseTokenKeys(
    given.signingKeys.length > 0 ? given.signingKeys : [randomBytes(32).toString("hex")],
  );
  parseOrigins(given.allowedOrigins);
  const { shards, url: databaseUrl, readUrl, maxConnections } = given;
  const transport = connect({ shards, url: databaseUrl, readUrl, maxConnections });
  const sessions = signIn === undefined ? undefined : new Sessions(signIn);
  const secrets = new WebhookSecrets(options.deliveries?.secrets ?? []);
  const events = new Emitter<ServerEvents>();
  const metrics = new Metrics();
  const { app, inFlight } = await makeServing({
    app: { ...given, sessions, runTokens, leaseTokens },
    transport,
    events,
    metrics,
    secrets,
    maxRetentionDays,
  });
  if (given.sqs) {
    const { accessKeys, publicUrl } = given;
    await addSqs(app, { transport, accessKeys, isOpen, publicUrl });
  }
  if (given.mcp !== false) {
    addMcp(app, {
      transport,
      examine: () => examine(shards, databaseUrl),
      allowance: given.mcp === true ? undefined : given.mcp,
      secrets: [...given.signingKeys, ...given.runTokenKeys],
      events,
    });
  }
  metrics.subscribe(events);
  logEvents(events, app.log);
  if (given.warmsUp) {
    await warmUp(async (idle) => {
      const twin = await makeServing({
        app: {
          ...given,
          tokens: [],
          sessions: undefined,
          runTokens,
          leaseTokens,
          allowedHosts: [],
          logger: false,
        },
        transport: idle,
        events: new Emitter<ServerEvents>(),
        metrics: new Metrics(),
        secrets,
        maxRetentionDays,
      });
      return twin.app;
    }).catch((error: unknown) => app.log.warn({ err: error }, "could not warm up"));
  }
  const services = makeServices({
    ...given,
    transport,
    events,
    secrets,
    userAgent: `Oxbow/${version}`,
    pushes: {
      leaseTokens,
      signingKeys: given.signingKeys,
      publicUrl: given.publicUrl,
      ownUrl: () => url,
      isLocal: isOpen,
    },
  });
  const url = await app.listen({ host, port: given.port }).catch(async (error: unknown) => {
    // Otherwise the listening connection keeps the process alive.
    await Promise.all([app.close(), transport.close()]);
    throw error;
  });
  for (const service of services) service.start();
  let stopped: Promise<void> | undefined;
  return {
    url,
    get description() {
      return app.swagger();
    },
    stop: () =>
      (stopped ??= (async () => {
        const idle = Promise.all(services.map((service) => service.stop()));
        const isIdle = within(IDLE_WITHIN_MS, idle);
        const closed = app.close();
        await inFlight.drained(STOP_WITHIN_MS);
        // Clients keep connections open, and open new ones, which would keep the server alive.
        app.server.closeAllConnections();
        await closed;
        // Without a database, services wait for answers that end with the connections.
        await isIdle;
        await transport.close();
        await idle;
      })()),
  };
}

/** What the doctor finds in the database, or in the shards. */
async function examine(shards: ConnectOptions["shards"], url?: string): Promise<Finding[]> {
  if (shards === undefined) return url === undefined ? [] : diagnose(url);
  const named = Object.entries(shards).map(([name, shard]) => ({
    name,
    url: typeof shard === "string" ? shard : shard.url,
  }));
  const { diagnoseFleet } = await import("./fleet-advice.ts");
  return diagnoseFleet(named);
}

interface ServingParts {
  readonly app: AppOptions;
  readonly transport: Transport;
  readonly events: Emitter<ServerEvents>;
  readonly metrics: Metrics;
  readonly secrets: WebhookSecrets;
  readonly maxRetentionDays: number;
}

/** An app with all routes, which does not listen yet. */
async function makeServing({
  app: options,
  transport,
  events,
  metrics,
  secrets,
  maxRetentionDays,
}: ServingParts): Promise<{ readonly app: App; readonly inFlight: InFlight }> {
  const app = await makeApp(options);
  const inFlight = observeRequests(app, events);
  addRoutes(app, {
    transport,
    declared: declaredIn(transport),
    events,
    readiness: new Readiness(transport),
    scrape: new Scrape(metrics, transport),
    secrets,
    sessions: options.sessions,
    hasTokens: options.tokens.length > 0,
    runTokens: options.runTokens,
    committer: makeCommitter(transport.worker, new Turns()),
    runMarks: new RunMarks(transport),
    maxRetentionDays,
  });
  return { app, inFlight };
}

function observeRequests(app: App, events: Emitter<ServerEvents>): InFlight {
  const inFlight = new InFlight();
  app.addHook("onRequest", (_request, reply, done) => {
    inFlight.add(reply.raw);
    done();
  });
  app.addHook("onResponse", ({ method, routeOptions }, { statusCode, elapsedTime }, done) => {
    events.emit("requestAnswered", {
      method,
      route: routeOptions.url ?? "none",
      status: statusCode,
      durationMs: elapsedTime,
    });
    done();
  });
  return inFlight;
}
