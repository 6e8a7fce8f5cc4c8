/**
 * The calls of the SDK, whether they go to the database or through a server: a member a noun, a method one SQL
 * function. Every rule lives in that function, not in a transport. A transport owns connections, retries of lost ones,
 * and the translation between rows and these types.
 *
 * int8 values (run ids, receipts) are opaque strings. Values that users journal go out as JSON text, so that they are
 * serialized once, and come in parsed. Times of a worker's calls are milliseconds since the Unix epoch by the database's
 * clock; elsewhere instants are dates, and lengths of time milliseconds.
 */
import type { AdminTransport } from "./admin.ts";
import type { ApprovalLinkTransport, ApprovalTransport } from "./approvals.ts";
import type { Actor, AuditRetentionTransport, AuditTransport } from "./audit.ts";
import type { DeliveryTransport } from "./deliveries.ts";
import type { EndpointTransport, PushTransport } from "./endpoints.ts";
import type { FlowControlTransport } from "./flow-control.ts";
import type { ForkTransport } from "./fork.ts";
import type { QueueSamplingTransport, QueueTransport } from "./queues.ts";
import type { Room } from "./rooms.ts";
import type {
  ExpiryTransport,
  RetentionTransport,
  RunMarkTransport,
  RunTransport,
} from "./runs.ts";
import type { ScheduleTransport, TickTransport } from "./schedules.ts";
import type { ShardTransport } from "./shards.ts";
import type { StatisticsTransport } from "./statistics.ts";
import type { TopicTransport } from "./topics.ts";
import type { TransactionClient } from "./transaction.ts";
import type { WorkerTransport } from "./worker.ts";
import type { WorkflowTransport } from "./workflows.ts";

/** What a client calls. Each call returns a promise, so that it can be made before the transport is loaded. */
export interface ClientTransport {
  readonly runs: RunTransport;
  readonly workflows: WorkflowTransport;
  readonly queues: QueueTransport;
  readonly topics: TopicTransport;
  readonly schedules: ScheduleTransport;
  readonly approvals: ApprovalTransport;
  readonly endpoints: EndpointTransport;
  readonly flowControl: FlowControlTransport;
  readonly audit: AuditTransport;
  readonly admin: AdminTransport;
  /** Undefined unless it connects to the shards of a fleet. */
  readonly fleet: ClientFleet | undefined;
  /** The database that it connects to: see `local-workers.ts`. Undefined through a server. */
  readonly database: string | undefined;

  /** The calls of a room that a package adds: always the same for the same room. */
  room<Calls>(room: Room<Calls>): Calls;
  /** Resolves when the database can be used; rejects with the reason if it can't. */
  check(): Promise<void>;
  /**
   * Calls `work` in a transaction on a separate connection, and commits; rolls back when `work` throws. Resolves
   * only once COMMIT is answered, rejects only once nothing of it is running in the database any more. The signal gives
   * it up, until `work` has resolved.
   */
  transaction(work: (tx: TransactionClient) => Promise<void>, signal?: AbortSignal): Promise<void>;
  close(): Promise<void>;
}

export interface Transport extends ClientTransport, ServerSide {
  readonly worker: WorkerTransport;
  readonly fleet: FleetAccess | undefined;
}

/** The shards of a fleet, as a client calls them. */
export interface ClientFleet {
  /** The name of the shard where a route is at home. */
  home(route: string): Promise<string>;
  /** @throws InvalidArgument for an unknown name. */
  shard(name: string): ClientTransport;
}

/** A shard of a fleet, and the way to it. */
export interface ShardLane {
  readonly name: string;
  readonly transport: Transport;
}

/** The shards of a fleet, each by itself. */
export interface FleetAccess extends ClientFleet {
  /** Lanes of a server, which has services and metrics for each shard. */
  readonly lanes: readonly ShardLane[];
  /** The name of the shard where a run is, or would be. @throws RunMoved if it is on its way for long. */
  shardOfRun(runId: string): Promise<string>;
  /** @throws InvalidArgument for an unknown name. */
  shard(name: string): Transport;
}

/** The work of a server. Undefined in a transport that goes through one. */
interface ServerSide {
  readonly ticks: TickTransport | undefined;
  readonly expiry: ExpiryTransport | undefined;
  readonly retention: RetentionTransport | undefined;
  readonly deliveries: DeliveryTransport | undefined;
  readonly pushes: PushTransport | undefined;
  readonly queueSampling: QueueSamplingTransport | undefined;
  readonly statistics: StatisticsTransport | undefined;
  readonly fork: ForkTransport | undefined;
  readonly shards: ShardTransport | undefined;
  readonly approvalLinks: ApprovalLinkTransport | undefined;
  readonly auditRetention: AuditRetentionTransport | undefined;
  /** Also undefined over shards. */
  readonly runMarks: RunMarkTransport | undefined;
  /** The same connections, with changes in the name of an actor, whom the audit records. */
  readonly actingFor: ((actor: Actor) => Transport) | undefined;
}
