/** The server: routes over one transport, and what it does in the background. It keeps no state of its own. */
import {
  connect,
  Emitter,
  Expirer,
  Ticker,
  type TickerEvents,
  type Transport,
  within,
} from "@oxbow/sdk/internal";
import type { FastifyBaseLogger } from "fastify";
import { AddressGuard } from "./background/address-guard.ts";
import { Deliveries, type DeliveriesOptions } from "./background/deliveries.ts";
import {
  type DeliverySettings,
  DISABLE_AFTER_MS,
  RETRY_DELAYS_MS,
} from "./background/delivery-settings.ts";
import { Proxies } from "./background/proxies.ts";
import { Sweeper } from "./background/sweeper.ts";
import { WebhookSecrets } from "./background/webhook-secrets.ts";
import { WebhookSender } from "./background/webhook-sender.ts";
import { makeApp } from "./http/app.ts";
import type { Token } from "./http/auth.ts";
import { isLoopbackName } from "./http/hosts.ts";
import { InFlight } from "./http/in-flight.ts";
import type { RequestTimeouts } from "./http/slow-clients.ts";
import { addRoutes } from "./routes/table.ts";
import { Metrics } from "./telemetry/metrics.ts";

export interface ServerOptions {
  /** `postgres://…`. */
  readonly url: string;
  /** Default 8080; 0: one that is free. */
  readonly port?: number;
  /** Default 127.0.0.1 without tokens, else all addresses. */
  readonly host?: string;
  readonly tokens?: readonly Token[];
  /** Without tokens: names by which others reach it, through a proxy for instance. Default: this machine's own alone. */
  readonly allowedHosts?: readonly string[];
  /** Most database connections besides the listening one. Default 10. */
  readonly maxConnections?: number;
  /** Largest body in bytes. Default 1 MiB. */
  readonly bodyLimit?: number;
  /** How long clients may take to send a request. */
  readonly timeouts?: RequestTimeouts;
  /** 0: this server doesn't sweep. Default 5 minutes. */
  readonly sweepIntervalMs?: number;
  /** Whether this server carries out schedules, as every worker on a direct connection does. Default true. */
  readonly schedules?: boolean;
  /** Ceiling of retention. Default 365. */
  readonly maxRetentionDays?: number;
  /** Of topics to urls. */
  readonly deliveries?: DeliverySettings;
  readonly logger?: FastifyBaseLogger | boolean;
  readonly version?: string;
}

export interface RunningServer {
  /** `http://host:port`. */
  readonly url: string;
  /** The OpenAPI document. */
  readonly description: unknown;
  /** Requests in flight are answered, long polls return, then everything is closed. */
  stop(): Promise<void>;
}

const LOOPBACK = "127.0.0.1";
/** Requests that take longer are cut off when the server stops. */
const STOP_WITHIN_MS = 25_000;
/** Longer than deliveries need; what is left of the background then waits for a database that is away. */
const IDLE_WITHIN_MS = 16_000;

/**
 * Starts a server. Connects to the database at the first request.
 *
 * @throws Error when it would listen to other machines without tokens.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const { tokens = [], port = 8_080, sweepIntervalMs = 300_000 } = options;
  const host = options.host ?? (tokens.length === 0 ? LOOPBACK : "0.0.0.0");
  if (tokens.length === 0 && !isLoopbackName(host)) {
    throw new Error(
      `Without tokens the server would be open to everybody who reaches ${host}. Set OXBOW_TOKENS, or HOST to 127.0.0.1.`,
    );
  }
  const transport = connect({ url: options.url, maxConnections: options.maxConnections ?? 10 });
  const app = await makeApp({
    tokens,
    allowedHosts: options.allowedHosts ?? [],
    bodyLimit: options.bodyLimit ?? 1_048_576,
    timeouts: options.timeouts ?? {},
    logger: options.logger ?? false,
    version: options.version ?? "0.0.0",
  });
  const metrics = new Metrics(transport);
  const inFlight = new InFlight();
  app.addHook("onRequest", async (_request, reply) => inFlight.add(reply.raw));
  app.addHook("onResponse", async ({ method, routeOptions }, { statusCode, elapsedTime }) => {
    metrics.requests.observe(
      { method, route: routeOptions.url ?? "none", status: String(statusCode) },
      elapsedTime / 1_000,
    );
  });
  const settings = options.deliveries ?? {};
  const secrets = new WebhookSecrets(settings.secrets ?? []);
  const maxRetentionDays = options.maxRetentionDays ?? 365;
  addRoutes(app, { transport, metrics, secrets, maxRetentionDays });

  const sweeper = new Sweeper({
    transport: transport.runs,
    intervalMs: sweepIntervalMs,
    maxRetentionDays,
    onSwept: (runs) => metrics.sweptRuns.inc(runs),
    onTrouble: (error) => app.log.warn({ err: error }, "the sweep failed"),
  });
  const { senders = 50, timeoutMs = 15_000, disableAfterMs = DISABLE_AFTER_MS } = settings;
  const deliveries = makeDeliveries(transport, {
    secrets,
    senders,
    timeoutMs,
    perSubscription: settings.perSubscription ?? 10,
    disableAfterMs: disableAfterMs === 0 ? undefined : disableAfterMs,
    retryDelaysMs: settings.retryDelaysMs ?? RETRY_DELAYS_MS,
    userAgent: `Oxbow/${options.version ?? "0.0.0"}`,
    sender: new WebhookSender({
      timeoutMs,
      guard: new AddressGuard(settings.allowedNetworks ?? []),
      allowHttp: settings.allowHttp ?? false,
      proxies: new Proxies(settings.proxy ?? {}),
      ...(settings.resolve === undefined ? {} : { resolve: settings.resolve }),
    }),
    onAttempt: (facts) => {
      metrics.observeDelivery(facts);
      if (facts.failure !== undefined) app.log.warn(facts, "a delivery failed");
    },
    onTrouble: (doing, error) => app.log.warn({ err: error }, doing),
  });
  const ticker = makeTicker(transport, app.log);
  const expirer =
    transport.expiry &&
    new Expirer({
      transport: transport.expiry,
      onTrouble: (error) => app.log.warn({ err: error }, "ending runs at their deadlines"),
    });
  const url = await app.listen({ host, port }).catch(async (error: unknown) => {
    // Its listening connection would be kept, and keep the process, for ever.
    await Promise.all([app.close(), transport.close()]);
    throw error;
  });
  if (sweepIntervalMs > 0) sweeper.start();
  if (senders > 0) deliveries?.start();
  if (options.schedules !== false) ticker?.start();
  expirer?.start();
  let stopped: Promise<void> | undefined;
  return {
    url,
    description: app.swagger(),
    stop: () =>
      (stopped ??= (async () => {
        const idle = Promise.all([
          sweeper.stop(),
          deliveries?.stop(),
          ticker?.stop(),
          expirer?.stop(),
        ]);
        const isIdle = within(IDLE_WITHIN_MS, idle);
        const closed = app.close();
        await inFlight.drained(STOP_WITHIN_MS);
        // Clients keep connections, used ones and new ones, which would keep the server.
        app.server.closeAllConnections();
        await closed;
        // Where the database is away, what waits for its answer ends with the connections.
        await isIdle;
        await transport.close();
        await idle;
      })()),
  };
}

function makeDeliveries(
  { queues, deliveries }: Transport,
  options: Omit<DeliveriesOptions, "transport">,
): Deliveries | undefined {
  if (deliveries === undefined) return undefined;
  return new Deliveries({ ...options, transport: { queues, deliveries } });
}

function makeTicker({ ticks }: Transport, log: FastifyBaseLogger): Ticker | undefined {
  if (ticks === undefined) return undefined;
  const events = new Emitter<TickerEvents>();
  events.on("trouble", ({ doing, error }) => log.warn({ err: error }, doing));
  return new Ticker({ transport: ticks, events });
}
