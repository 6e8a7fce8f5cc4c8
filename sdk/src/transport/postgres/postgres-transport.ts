/** The transport straight to the database: its connections, and a room for each noun. */
import type { ForkTransport } from "../../protocol/fork.ts";
import type { OwnFleetMap, ShardTransport } from "../../protocol/shards.ts";
import type { Transport } from "../../protocol/transport.ts";
import { openedOnce } from "../opened-rooms.ts";
import { statisticsOverPostgres } from "./admin/statistics.ts";
import { adminOverPostgres } from "./admin/transport.ts";
import { approvalsOverPostgres } from "./approvals/transport.ts";
import { auditOverPostgres } from "./audit/transport.ts";
import { actingQueries } from "./connection/acting-queries.ts";
import { ContendedCalls } from "./connection/contended-calls.ts";
import type { Listening } from "./connection/listener.ts";
import { Pool } from "./connection/pool.ts";
import type { Queries } from "./connection/queries.ts";
import { shareListener } from "./connection/shared-listener.ts";
import { pushesOverPostgres } from "./endpoints/pushes.ts";
import { endpointsOverPostgres } from "./endpoints/transport.ts";
import { flowControlOverPostgres } from "./flow-control/transport.ts";
import { forkOverPostgres } from "./fork/transport.ts";
import { queuesOverPostgres } from "./queues/transport.ts";
import { runsOverPostgres } from "./runs/transport.ts";
import { ticksOverPostgres } from "./schedules/ticks.ts";
import { schedulesOverPostgres } from "./schedules/transport.ts";
import { shardsOverPostgres } from "./shards/transport.ts";
import { deliveriesOverPostgres } from "./topics/deliveries.ts";
import { topicsOverPostgres } from "./topics/transport.ts";
import { workerOverPostgres } from "./worker/transport.ts";
import { workflowsOverPostgres } from "./workflows/transport.ts";

export interface PostgresTransportOptions {
  readonly url: string;
  /** Connections besides the listening one. Default 6. */
  readonly maxConnections?: number | undefined;
  /** Whether to LISTEN, or only to poll. Default: unless a proxy is in between. */
  readonly listen?: boolean | undefined;
  /** Straight to the same database, for the one connection that listens, where `url` leads to a proxy. */
  readonly listenUrl?: string | undefined;
  /** A standby, for lists, counts, exports, peeks and metrics. Default: `url`. */
  readonly readUrl?: string | undefined;
  readonly applicationName?: string;
  /** How long an answer may take that comes soon as a rule; then the connection counts as lost. Default 30,000. */
  readonly answerWithinMs?: number;
  /** The text of `OXBOW_RUN_TOKEN_KEYS`, with which a client signs run tokens. */
  readonly runTokenKeys?: string | undefined;
  /** Throws unless the database, and the standby, are the shard that they have to be; undefined accepts any. */
  readonly requireShard?: (map: OwnFleetMap | undefined) => void;
}

const PROXY_ADVICE =
  "The database is behind a proxy, so that Oxbow polls instead of listening. If the proxy pools by transaction, " +
  "pass `listenUrl`, a url straight to the database, or accept it with `listen: false`; if each connection has " +
  "its own session, pass `listen: true`.";

const ANSWER_WITHIN_MS = 30_000;

export interface PostgresTransport extends Transport {
  readonly fork: ForkTransport;
  readonly shards: ShardTransport;
}

/** Connects at the first call. */
export function postgresTransport({
  url,
  maxConnections = 6,
  listen,
  listenUrl,
  readUrl,
  applicationName = "oxbow",
  answerWithinMs = ANSWER_WITHIN_MS,
  runTokenKeys,
  requireShard,
}: PostgresTransportOptions): PostgresTransport {
  const shared = { maxConnections, answerWithinMs, requireShard };
  const hasOwnSessions = listen === true && listenUrl === undefined;
  const pool = new Pool({
    ...shared,
    url,
    applicationName,
    hasOwnSessions,
    onSilence: () => listener?.suspect(),
  });
  /** Pool of a standby, if there is one; otherwise the same. */
  const reads =
    readUrl === undefined
      ? pool
      : new Pool({
          ...shared,
          url: readUrl,
          applicationName: `${applicationName} read`,
          hasOwnSessions: false,
          onSilence: () => {},
        });
  const isSure = hasOwnSessions || listenUrl !== undefined;
  const mayListen = async (): Promise<boolean> => {
    await pool.check();
    const hasSession = isSure || !pool.isProxied;
    if (!hasSession) process.emitWarning(PROXY_ADVICE, "OxbowWarning");
    return hasSession;
  };
  const name = `${applicationName} listen`;
  const listener: Listening | undefined =
    listen === false
      ? undefined
      : shareListener(
          { url: listenUrl ?? url, applicationName: name, mayListen, answerWithinMs },
          isSure,
        );

  /** The rooms whose calls the audit records, over queries that name an actor or don't. */
  const roomsOver = (queries: Queries, contended: ContendedCalls) => {
    const queues = queuesOverPostgres(queries, reads, contended, listener);
    return {
      room: openedOnce((room) => room.postgres({ queries, unattributed: pool, queues })),
      runs: runsOverPostgres({ queries, reads, contended, listener, runTokenKeys }),
      workflows: workflowsOverPostgres(queries, reads),
      queues,
      topics: topicsOverPostgres(queries, reads),
      schedules: schedulesOverPostgres(queries),
      endpoints: endpointsOverPostgres(queries),
      flowControl: flowControlOverPostgres(queries),
      approvals: approvalsOverPostgres(queries),
      fork: forkOverPostgres(queries),
    };
  };

  const contended = new ContendedCalls(pool);
  const rooms = roomsOver(pool, contended);
  const audit = auditOverPostgres(pool);
  const transport: PostgresTransport = {
    ...rooms,
    database: url,
    fleet: undefined,
    worker: workerOverPostgres(pool, contended, listener),
    shards: shardsOverPostgres(pool, listener),
    approvalLinks: rooms.approvals,
    audit,
    auditRetention: audit,
    admin: adminOverPostgres(pool),
    statistics: statisticsOverPostgres(pool, reads),
    ticks: ticksOverPostgres(pool, rooms.queues, listener),
    expiry: rooms.runs,
    retention: rooms.runs,
    runMarks: rooms.runs,
    deliveries: deliveriesOverPostgres(pool, rooms.queues),
    pushes: pushesOverPostgres(pool),
    queueSampling: rooms.queues,
    actingFor: (actor) => {
      const queries = actingQueries(pool, actor);
      return { ...transport, ...roomsOver(queries, contended.over(queries)) };
    },
    check: () => pool.check(),
    transaction: (work, signal) => pool.transaction(work, signal),
    close: async () => {
      rooms.queues.close();
      const pools = new Set([pool, reads]);
      await Promise.all([listener?.close(), ...[...pools].map((one) => one.close())]);
    },
  };
  return transport;
}
