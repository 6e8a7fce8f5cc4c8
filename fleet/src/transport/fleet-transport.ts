/** The transport over the shards of a fleet: one transport a shard, and for each noun the rule where its calls go. */
import type {
  Actor,
  AdminTransport,
  FleetAccess,
  Room,
  TransactionClient,
  Transport,
  Violation,
} from "@oxbow/sdk/internal/fleet";
import { Fleet, type Lane } from "./fleet.ts";
import { FollowedRuns } from "./followed-runs.ts";
import { fleetQueues } from "./queues.ts";
import { refusal, refused, refusedRoom, refusedWorker } from "./refused.ts";
import { fleetRuns } from "./runs.ts";
import { fleetSchedules } from "./schedules.ts";
import { fleetStatistics } from "./statistics.ts";
import { fleetWorkflows } from "./workflows.ts";

export class FleetTransport implements Transport {
  readonly runs: Transport["runs"];
  readonly workflows: Transport["workflows"];
  readonly queues: Transport["queues"];
  readonly schedules: Transport["schedules"];
  readonly admin: AdminTransport;
  readonly fleet: FleetAccess;
  readonly statistics: Transport["statistics"];
  // A worker has a lane for each shard instead.
  readonly worker: Transport["worker"] = refusedWorker();
  readonly topics: Transport["topics"] = refused("topics");
  readonly approvals: Transport["approvals"] = refused("approvals");
  readonly endpoints: Transport["endpoints"] = refused("endpoints");
  readonly flowControl: Transport["flowControl"] = refused("flowControl");
  readonly audit: Transport["audit"] = refused("audit");
  readonly database = undefined;
  readonly ticks = undefined;
  readonly expiry = undefined;
  readonly retention = undefined;
  readonly deliveries = undefined;
  readonly pushes = undefined;
  readonly queueSampling = undefined;
  readonly shards = undefined;
  readonly fork: Transport["fork"] = refused("fork");
  readonly approvalLinks: Transport["approvalLinks"] = refused("approvalLinks");
  readonly auditRetention = undefined;
  readonly runMarks = undefined;
  readonly #fleet: Fleet;

  constructor(lanes: readonly Lane[] | Fleet) {
    const fleet = lanes instanceof Fleet ? lanes : new Fleet(lanes);
    this.#fleet = fleet;
    const followed = new FollowedRuns(fleet);
    this.runs = fleetRuns(fleet, followed);
    this.workflows = fleetWorkflows(fleet);
    this.queues = fleetQueues(fleet);
    this.schedules = fleetSchedules(fleet);
    this.statistics = fleetStatistics(fleet);
    this.admin = { checkInvariants: () => this.#checkInvariants() };
    this.fleet = {
      lanes: fleet.lanes,
      home: (route) => fleet.home(route),
      shardOfRun: async (runId) => (await followed.find(runId)).name,
      shard: (name) => fleet.require(name).transport,
    };
  }

  room<Calls>({ title }: Room<Calls>): Calls {
    return refusedRoom(title);
  }

  actingFor(actor: Actor): Transport {
    return new FleetTransport(
      this.#fleet.over((transport) => transport.actingFor?.(actor) ?? transport),
    );
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
