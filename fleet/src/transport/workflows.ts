/** Workflows and workers over shards. */
import type { WorkflowTally, WorkflowTool, WorkflowTransport } from "@oxbow/sdk/internal/fleet";
import type { Fleet } from "./fleet.ts";
import { byName } from "./merging.ts";
import { workerRefusal } from "./refused.ts";

const refuse = (): Promise<never> => Promise.reject(workerRefusal());

export const fleetWorkflows = (fleet: Fleet): WorkflowTransport => ({
  // A worker registers in each shard that it serves, over its lanes.
  register: refuse,
  reportWorker: refuse,
  removeWorker: refuse,

  unregister: async (workflow, version) => {
    const removed = await fleet.all(({ workflows }) => workflows.unregister(workflow, version));
    return removed.includes(true);
  },

  versions: async (workflow) => {
    const found = await fleet.all(({ workflows }) => workflows.versions(workflow));
    const byVersion = new Map(found.flat().map((one) => [one.version, one]));
    return [...byVersion.values()].toSorted((one, other) => other.version - one.version);
  },

  tools: async () => {
    const found = await fleet.all(({ workflows }) => workflows.tools());
    const latest = new Map<string, WorkflowTool>();
    for (const one of found.flat().toSorted((a, b) => a.version - b.version))
      latest.set(one.workflow, one);
    return [...latest.values()].toSorted((one, other) => (one.workflow < other.workflow ? -1 : 1));
  },

  tally: async () => {
    const sums = new Map<string, WorkflowTally>();
    const found = await fleet.all(({ workflows }) => workflows.tally());
    for (const one of found.flat()) {
      const sum = sums.get(one.name);
      sums.set(one.name, sum === undefined ? one : sumOf(one, sum));
    }
    return [...sums.values()].toSorted(byName);
  },

  /** A worker has an entry for each shard that it serves. */
  workers: async () => (await fleet.all(({ workflows }) => workflows.workers())).flat(),
});

const sumOf = (one: WorkflowTally, other: WorkflowTally): WorkflowTally => ({
  name: one.name,
  running: one.running + other.running,
  completed: one.completed + other.completed,
  failed: one.failed + other.failed,
  cancelled: one.cancelled + other.cancelled,
});
