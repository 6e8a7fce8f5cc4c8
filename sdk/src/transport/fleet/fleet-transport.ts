/** The transport over the shards of a fleet: one transport a shard, and for each noun the rule where its calls go. */
import type { AdminTransport, Violation } from "../../protocol/admin.ts";
import type { TransactionClient } from "../../protocol/transaction.ts";
import type { FleetAccess, Transport } from "../../protocol/transport.ts";
import { Fleet, type Lane } from "./fleet.ts";
import { FleetQueueTransport } from "./queues.ts";
import { refusal, refused } from "./refused.ts";
import { FleetRunTransport } from "./runs.ts";
import { FleetScheduleTransport } from "./schedules.ts";
import { FleetWorkflowTransport } from "./workflows.ts";

export class FleetTransport implements Transport {
  readonly runs: FleetRunTransport;
  readonly workflows: FleetWorkflowTransport;
  readonly queues: FleetQueueTransport;
  readonly schedules: FleetScheduleTransport;
  readonly admin: AdminTransport;
  readonly fleet: FleetAccess;
  // A worker has a lane for each shard instead.
  readonly worker: Transport["worker"] = refused("A worker's call");
  readonly topics: Transport["topics"] = refused("Topics");
  readonly definitions: Transport["definitions"] = refused("Definitions");
  readonly resources: Transport["resources"] = refused("Resources");
  readonly triggers: Transport["triggers"] = refused("Triggers");
  readonly approvals: Transport["approvals"] = refused("Approvals");
  readonly catalog: Transport["catalog"] = refused("The catalog");
  readonly flowControl: Transport["flowControl"] = refused("Flow control");
  readonly audit: Transport["audit"] = refused("The audit");
  readonly database = undefined;
  readonly ticks = undefined;
  readonly expiry = undefined;
  readonly retention = undefined;
  readonly deliveries = undefined;
  readonly statistics = undefined;
  readonly fork = undefined;
  readonly shards = undefined;
  readonly approvalLinks = undefined;
  readonly auditRetention = undefined;
  readonly triggerRetention = undefined;
  readonly triggerHooks = undefined;
  readonly actingFor = undefined;
  readonly #fleet: Fleet;

  constructor(lanes: readonly Lane[]) {
    const fleet = new Fleet(lanes);
    this.#fleet = fleet;
    this.runs = new FleetRunTransport(fleet);
    this.workflows = new FleetWorkflowTransport(fleet);
    this.queues = new FleetQueueTransport(fleet);
    this.schedules = new FleetScheduleTransport(fleet);
    this.admin = { checkInvariants: () => this.#checkInvariants() };
    this.fleet = {
      home: (route) => fleet.home(route),
      shard: (name) => fleet.require(name).transport,
    };
  }

  async check(): Promise<void> {
    await this.#fleet.all((shard) => shard.check());
  }

  transaction(_work: (tx: TransactionClient) => Promise<void>): Promise<void> {
    return Promise.reject(refusal("A transaction"));
  }

  async close(): Promise<void> {
    await Promise.all(this.#fleet.lanes.map(({ transport }) => transport.close()));
  }

  async #checkInvariants(): Promise<Violation[]> {
    const found = await this.#fleet.all(({ admin }) => admin.checkInvariants());
    return found.flat();
  }
}
