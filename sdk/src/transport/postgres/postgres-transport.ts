/** The transport straight to the database: its connections, and a room for each noun. */
import type { Actor } from "../../protocol/audit.ts";
import type { PostgresWay, Room, RoomQueries } from "../../protocol/rooms.ts";
import type { ExpiryTransport, RetentionTransport, RunMarkTransport } from "../../protocol/runs.ts";
import type { OwnFleetMap } from "../../protocol/shards.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import type { Transport } from "../../protocol/transport.ts";
import { PostgresStatisticsTransport } from "./admin/statistics.ts";
import { PostgresApprovalTransport } from "./approvals/transport.ts";
import { PostgresAuditTransport } from "./audit/transport.ts";
import { OpenedRooms } from "../opened-rooms.ts";
import { ActingQueries } from "./connection/acting-queries.ts";
import { ContendedCalls } from "./connection/contended-calls.ts";
import type { Listening } from "./connection/listener.ts";
import { Pool } from "./connection/pool.ts";
import type { Queries } from "./connection/queries.ts";
import { shareListener } from "./connection/shared-listener.ts";
import { PostgresQueueTransport } from "./queues/transport.ts";
import { PostgresTickTransport } from "./schedules/ticks.ts";
import { PostgresScheduleTransport } from "./schedules/transport.ts";
import { PostgresDeliveryTransport } from "./topics/deliveries.ts";
import { PostgresTopicTransport } from "./topics/transport.ts";
import { PostgresAdminTransport } from "./admin/transport.ts";
import { PostgresPushTransport } from "./endpoints/pushes.ts";
import { PostgresEndpointTransport } from "./endpoints/transport.ts";
import { PostgresFlowControlTransport } from "./flow-control/transport.ts";
import { PostgresForkTransport } from "./fork/transport.ts";
import { PostgresRunTransport } from "./runs/transport.ts";
import { PostgresShardTransport } from "./shards/transport.ts";
import { PostgresWorkerTransport } from "./worker/transport.ts";
import { PostgresWorkflowTransport } from "./workflows/transport.ts";

export interface PostgresTransportOptions {
  readonly url: string;
  /** Connections besides the listening one. Default 6. */
  readonly maxConnections?: number;
  /** Whether to LISTEN, or only to poll. Default: unless a proxy is in between. */
  readonly listen?: boolean;
  /** Straight to the same database, for the one connection that listens, where `url` leads to a proxy. */
  readonly listenUrl?: string;
  /** A standby, for lists, counts, exports, peeks and metrics. Default: `url`. */
  readonly readUrl?: string;
  readonly applicationName?: string;
  /** How long an answer may take that comes soon as a rule; then the connection counts as lost. Default 30,000. */
  readonly answerWithinMs?: number;
  /** The text of `OXBOW_RUN_TOKEN_KEYS`, with which a client signs run tokens. */
  readonly runTokenKeys?: string;
  /** Throws unless the database, and the standby, are the shard that they have to be; undefined accepts any. */
  readonly requireShard?: (map: OwnFleetMap | undefined) => void;
}

const PROXY_ADVICE =
  "The database is behind a proxy, so that Oxbow polls instead of listening. If the proxy pools by transaction, " +
  "pass `listenUrl`, a url straight to the database, or accept it with `listen: false`; if each connection has " +
  "its own session, pass `listen: true`.";

const ANSWER_WITHIN_MS = 30_000;

export class PostgresTransport implements Transport {
  readonly #pool: Pool;
  /** Pool of a standby, if there is one; otherwise the same. */
  readonly #reads: Pool;
  readonly #contended: ContendedCalls;
  readonly #listener: Listening | undefined;
  readonly #rooms: OpenedRooms;
  readonly #runTokenKeys: string | undefined;
  readonly database: string;
  readonly fleet = undefined;
  readonly runs: PostgresRunTransport;
  readonly workflows: PostgresWorkflowTransport;
  readonly worker: PostgresWorkerTransport;
  readonly queues: PostgresQueueTransport;
  readonly topics: PostgresTopicTransport;
  readonly schedules: PostgresScheduleTransport;
  readonly endpoints: PostgresEndpointTransport;
  readonly flowControl: PostgresFlowControlTransport;
  readonly fork: PostgresForkTransport;
  readonly shards: PostgresShardTransport;
  readonly approvals: PostgresApprovalTransport;
  readonly approvalLinks: PostgresApprovalTransport;
  readonly audit: PostgresAuditTransport;
  readonly auditRetention: PostgresAuditTransport;
  readonly admin: PostgresAdminTransport;
  readonly statistics: PostgresStatisticsTransport;
  readonly ticks: PostgresTickTransport;
  readonly expiry: ExpiryTransport;
  readonly retention: RetentionTransport;
  readonly runMarks: RunMarkTransport;
  readonly deliveries: PostgresDeliveryTransport;
  readonly pushes: PostgresPushTransport;
  readonly queueSampling: PostgresQueueTransport;

  constructor({
    url,
    maxConnections = 6,
    listen,
    listenUrl,
    readUrl,
    applicationName = "oxbow",
    answerWithinMs = ANSWER_WITHIN_MS,
    runTokenKeys,
    requireShard,
  }: PostgresTransportOptions) {
    this.#runTokenKeys = runTokenKeys;
    this.database = url;
    const hasOwnSessions = listen === true && listenUrl === undefined;
    this.#pool = new Pool({
      url,
      maxConnections,
      applicationName,
      hasOwnSessions,
      answerWithinMs,
      requireShard,
      onSilence: () => this.#listener?.suspect(),
    });
    this.#reads =
      readUrl === undefined
        ? this.#pool
        : new Pool({
            url: readUrl,
            maxConnections,
            applicationName: `${applicationName} read`,
            hasOwnSessions: false,
            answerWithinMs,
            requireShard,
            onSilence: () => {},
          });
    if (listen !== false) {
      const isSure = hasOwnSessions || listenUrl !== undefined;
      const mayListen = async (): Promise<boolean> => {
        await this.#pool.check();
        const hasSession = isSure || !this.#pool.isProxied;
        if (!hasSession) process.emitWarning(PROXY_ADVICE, "OxbowWarning");
        return hasSession;
      };
      const name = `${applicationName} listen`;
      this.#listener = shareListener(
        { url: listenUrl ?? url, applicationName: name, mayListen, answerWithinMs },
        isSure,
      );
    }
    const contended = new ContendedCalls(this.#pool);
    this.#contended = contended;
    this.runs = this.#runsOf(this.#pool, contended);
    this.expiry = this.runs;
    this.retention = this.runs;
    this.runMarks = this.runs;
    this.worker = new PostgresWorkerTransport(this.#pool, contended, this.#listener);
    this.workflows = new PostgresWorkflowTransport(this.#pool, this.#reads);
    this.queues = new PostgresQueueTransport(this.#pool, this.#reads, contended, this.#listener);
    this.queueSampling = this.queues;
    this.#rooms = this.#roomsOf(this.#pool, this.queues);
    this.topics = new PostgresTopicTransport(this.#pool, this.#reads);
    this.schedules = new PostgresScheduleTransport(this.#pool);
    this.endpoints = new PostgresEndpointTransport(this.#pool);
    this.flowControl = new PostgresFlowControlTransport(this.#pool);
    this.fork = new PostgresForkTransport(this.#pool);
    this.shards = new PostgresShardTransport(this.#pool, this.#listener);
    this.approvals = new PostgresApprovalTransport(this.#pool);
    this.approvalLinks = this.approvals;
    this.audit = new PostgresAuditTransport(this.#pool);
    this.auditRetention = this.audit;
    this.admin = new PostgresAdminTransport(this.#pool);
    this.statistics = new PostgresStatisticsTransport(this.#pool, this.#reads);
    this.deliveries = new PostgresDeliveryTransport(this.#pool, this.queues);
    this.pushes = new PostgresPushTransport(this.#pool);
    this.ticks = new PostgresTickTransport(this.#pool, this.queues, this.#listener);
  }

  actingFor(actor: Actor): Transport {
    const queries = new ActingQueries(this.#pool, actor);
    const reads = this.#reads;
    const contended = this.#contended.over(queries);
    const queues = new PostgresQueueTransport(queries, reads, contended, this.#listener);
    const rooms = this.#roomsOf(queries, queues);
    return {
      room: (room) => rooms.get(room),
      runs: this.#runsOf(queries, contended),
      workflows: new PostgresWorkflowTransport(queries, reads),
      queues,
      topics: new PostgresTopicTransport(queries, reads),
      schedules: new PostgresScheduleTransport(queries),
      endpoints: new PostgresEndpointTransport(queries),
      flowControl: new PostgresFlowControlTransport(queries),
      database: this.database,
      fleet: this.fleet,
      worker: this.worker,
      approvals: new PostgresApprovalTransport(queries),
      approvalLinks: this.approvalLinks,
      audit: this.audit,
      auditRetention: this.auditRetention,
      admin: this.admin,
      fork: new PostgresForkTransport(queries),
      shards: this.shards,
      statistics: this.statistics,
      ticks: this.ticks,
      expiry: this.expiry,
      retention: this.retention,
      runMarks: this.runMarks,
      deliveries: this.deliveries,
      pushes: this.pushes,
      queueSampling: this.queueSampling,
      check: () => this.check(),
      transaction: (work, signal) => this.transaction(work, signal),
      close: () => this.close(),
      actingFor: (other) => this.actingFor(other),
    };
  }

  room<Calls>(room: Room<Calls>): Calls {
    return this.#rooms.get(room);
  }

  #runsOf(queries: Queries, contended: ContendedCalls): PostgresRunTransport {
    const listener = this.#listener;
    return new PostgresRunTransport(queries, this.#reads, contended, listener, this.#runTokenKeys);
  }

  #roomsOf(queries: RoomQueries, queues: PostgresQueueTransport): OpenedRooms {
    const way: PostgresWay = { queries, unattributed: this.#pool, queues };
    return new OpenedRooms((room) => room.postgres(way));
  }

  check(): Promise<void> {
    return this.#pool.check();
  }

  transaction(work: (tx: TransactionClient) => Promise<void>, signal?: AbortSignal): Promise<void> {
    return this.#pool.transaction(work, signal);
  }

  async close(): Promise<void> {
    this.queues.close();
    const pools = new Set([this.#pool, this.#reads]);
    await Promise.all([this.#listener?.close(), ...[...pools].map((pool) => pool.close())]);
  }
}
