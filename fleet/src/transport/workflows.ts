/** Workflows and workers over shards. */
import type {
  RegisteredVersion,
  Registration,
  WorkerEntry,
  WorkerReport,
  WorkflowTally,
  WorkflowTool,
  WorkflowTransport,
} from "@oxbow/sdk/internal/fleet";
import type { Fleet } from "./fleet.ts";
import { byName } from "./merging.ts";
import { workerRefusal } from "./refused.ts";

export class FleetWorkflowTransport implements WorkflowTransport {
  readonly #fleet: Fleet;

  constructor(fleet: Fleet) {
    this.#fleet = fleet;
  }

  /** A worker registers in each shard that it serves, over its lanes. */
  register(_registrations: readonly Registration[]): Promise<number> {
    return Promise.reject(workerRefusal());
  }

  async unregister(workflow: string, version: number): Promise<boolean> {
    const removed = await this.#fleet.all(({ workflows }) =>
      workflows.unregister(workflow, version),
    );
    return removed.includes(true);
  }

  async versions(workflow: string): Promise<RegisteredVersion[]> {
    const found = await this.#fleet.all(({ workflows }) => workflows.versions(workflow));
    const byVersion = new Map(found.flat().map((one) => [one.version, one]));
    return [...byVersion.values()].toSorted((one, other) => other.version - one.version);
  }

  async tools(): Promise<WorkflowTool[]> {
    const found = await this.#fleet.all(({ workflows }) => workflows.tools());
    const latest = new Map<string, WorkflowTool>();
    for (const one of found.flat().toSorted((a, b) => a.version - b.version))
      latest.set(one.workflow, one);
    return [...latest.values()].toSorted((one, other) => (one.workflow < other.workflow ? -1 : 1));
  }

  async tally(): Promise<WorkflowTally[]> {
    const sums = new Map<string, WorkflowTally>();
    const found = await this.#fleet.all(({ workflows }) => workflows.tally());
    for (const one of found.flat()) {
      const sum = sums.get(one.name);
      sums.set(one.name, sum === undefined ? one : sumOf(one, sum));
    }
    return [...sums.values()].toSorted(byName);
  }

  reportWorker(_report: WorkerReport): Promise<void> {
    return Promise.reject(workerRefusal());
  }

  removeWorker(_workerId: string): Promise<void> {
    return Promise.reject(workerRefusal());
  }

  /** A worker has an entry for each shard that it serves. */
  async workers(): Promise<WorkerEntry[]> {
    return (await this.#fleet.all(({ workflows }) => workflows.workers())).flat();
  }
}

const sumOf = (one: WorkflowTally, other: WorkflowTally): WorkflowTally => ({
  name: one.name,
  running: one.running + other.running,
  completed: one.completed + other.completed,
  failed: one.failed + other.failed,
  cancelled: one.cancelled + other.cancelled,
});
