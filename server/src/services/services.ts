/** All background services of a server. Each runs on any number of servers at the same time. */
import { AddressGuard, Proxies } from "@oxbow/declared/net";
import { TRIGGER_RETENTION } from "@oxbow/declared/internal";
import {
  Emitter,
  Expirer,
  type LeaseTokenKeys,
  Ticker,
  type TickerEvents,
  type Transport,
} from "@oxbow/sdk/internal/server";
import { relaysOf } from "@oxbow/fleet/internal";
import type { ServerEvents } from "../events.ts";
import { SQS } from "../sqs/queues.ts";
import { Deliveries } from "./deliveries/deliveries.ts";
import { type DeliverySettings, deliveryDefaults } from "./deliveries/settings.ts";
import { WebhookSender } from "./deliveries/webhook-sender.ts";
import type { WebhookSecrets } from "./deliveries/webhook-secrets.ts";
import { DepthSampler } from "./depth-sampler.ts";
import { endpointRequestsOf } from "./pushes/endpoint-settings.ts";
import { Pushes } from "./pushes/pushes.ts";
import { RepeatedTask, type Service } from "./service.ts";
import { SqsMoves } from "./sqs-moves.ts";
import { Sweeper } from "./sweeper.ts";

export interface ServicesOptions {
  readonly transport: Transport;
  readonly events: Emitter<ServerEvents>;
  readonly secrets: WebhookSecrets;
  /** 0: no sweeper. */
  readonly sweepIntervalMs: number;
  readonly maxRetentionDays: number;
  readonly auditRetentionDays: number;
  /** Whether to start the runs of schedules. */
  readonly schedules: boolean;
  readonly deliveries: DeliverySettings;
  readonly userAgent: string;
  /** Undefined to push nothing. */
  readonly pushes: PushSettings | undefined;
  /** Whether clients of SQS are answered. */
  readonly sqs: boolean;
}

/** How runs are pushed to endpoints. */
interface PushSettings {
  readonly leaseTokens: LeaseTokenKeys;
  readonly signingKeys: readonly string[];
  readonly publicUrl: string | undefined;
  /** The server's own address. */
  readonly ownUrl: () => string;
  /** Only this machine can reach the server, so it may reach this machine. */
  readonly isLocal: boolean;
}

/** Over shards, those of each shard, and relays between them. */
export function makeServices(options: ServicesOptions): Service[] {
  const { fleet } = options.transport;
  if (fleet === undefined) return makeServicesOfOne(options);
  const services = fleet.lanes.flatMap(({ name, transport }) =>
    makeServicesOfOne({
      ...options,
      transport,
      events: eventsOf(name, options.events),
      // Servers of shards refuse clients of SQS, and commits of functions.
      sqs: false,
      pushes: undefined,
    }),
  );
  const relays = relaysOf(fleet.lanes, (doing, error) =>
    options.events.emit("trouble", { doing, error }),
  );
  return [...services, ...relays];
}

/** Events of a shard, whose troubles name it. */
function eventsOf(shard: string, events: Emitter<ServerEvents>): Emitter<ServerEvents> {
  const own = new Emitter<ServerEvents>();
  own.on("trouble", ({ doing, error }) => {
    events.emit("trouble", { doing: `${doing} in shard "${shard}"`, error });
  });
  own.on("swept", (swept) => events.emit("swept", swept));
  own.on("deliveryAttempted", (attempt) => events.emit("deliveryAttempted", attempt));
  return own;
}

function makeServicesOfOne(options: ServicesOptions): Service[] {
  const made = [
    sweeperOf(options),
    samplerOf(options),
    deliveriesOf(options),
    tickerOf(options),
    expirerOf(options),
    pushesOf(options),
    sqsMovesOf(options),
  ];
  return made.filter((service) => service !== undefined);
}

/** Also registers the ceiling of retention: only servers that sweep do. */
function sweeperOf(options: ServicesOptions): Service | undefined {
  const { transport, events, sweepIntervalMs: intervalMs, maxRetentionDays } = options;
  if (intervalMs === 0) return undefined;
  const { logHours: deliveryLogHours = deliveryDefaults.logHours } = options.deliveries;
  const sweeper = new Sweeper({
    transport: transport.runs,
    retention: transport.retention,
    audit: transport.auditRetention,
    triggers: transport.room(TRIGGER_RETENTION),
    events,
    intervalMs,
    maxRetentionDays,
    auditRetentionDays: options.auditRetentionDays,
    // A server that logs nothing leaves the log to the others.
    deliveryLog: deliveryLogHours > 0 ? transport.deliveries : undefined,
    deliveryLogHours,
  });
  return new RepeatedTask(sweeper, events);
}

/** Like the sweeper, it is work for the database, which servers may be kept from. */
function samplerOf({ transport, events, sweepIntervalMs }: ServicesOptions): Service | undefined {
  if (transport.queueSampling === undefined || sweepIntervalMs === 0) return undefined;
  return new RepeatedTask(new DepthSampler(transport.queueSampling), events);
}

function deliveriesOf(options: ServicesOptions): Service | undefined {
  const { transport, events, secrets, userAgent } = options;
  const settings = { ...deliveryDefaults, ...options.deliveries };
  if (transport.deliveries === undefined || settings.senders === 0) return undefined;
  const logs = settings.logHours > 0;
  const sender = new WebhookSender({
    ...settings,
    keepsResponses: logs,
    guard: new AddressGuard(settings.allowedNetworks),
    proxies: new Proxies(settings.proxy),
  });
  const deliveries = new Deliveries({
    ...settings,
    queues: transport.queues,
    transport: transport.deliveries,
    disableAfterMs: settings.disableAfterMs === 0 ? undefined : settings.disableAfterMs,
    logs,
    sender,
    secrets,
    userAgent,
    events,
  });
  return new RepeatedTask(deliveries, events);
}

function pushesOf(options: ServicesOptions): Service | undefined {
  const { transport, events, pushes: settings } = options;
  if (transport.pushes === undefined || settings === undefined) return undefined;
  const { signingKeys, leaseTokens, publicUrl, ownUrl } = settings;
  const pushes = new Pushes({
    leaseTokens,
    publicUrl,
    ownUrl,
    transport,
    endpoints: transport.pushes,
    requests: endpointRequestsOf({ ...options, ...settings }),
    events,
    isSigned: signingKeys.length > 0,
  });
  return new RepeatedTask(pushes, events);
}

function sqsMovesOf({ transport, events, sqs }: ServicesOptions): Service | undefined {
  if (!sqs) return undefined;
  return new RepeatedTask(new SqsMoves(transport.room(SQS)), events);
}

function tickerOf({ transport, events, schedules }: ServicesOptions): Service | undefined {
  if (transport.ticks === undefined || !schedules) return undefined;
  const own = new Emitter<TickerEvents>();
  own.on("trouble", (trouble) => events.emit("trouble", trouble));
  return new Ticker({ transport: transport.ticks, events: own });
}

function expirerOf({ transport, events }: ServicesOptions): Service | undefined {
  if (transport.expiry === undefined) return undefined;
  return new Expirer({
    transport: transport.expiry,
    onTrouble: (error) =>
      events.emit("trouble", { doing: "ending runs at their deadlines", error }),
  });
}
