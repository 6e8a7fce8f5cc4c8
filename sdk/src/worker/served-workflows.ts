/** The workflows of a worker: the given ones and their failure handlers, by name and version, and those of its sources. */
import { InvalidArgument } from "../core/errors.ts";
import { checkPoolName } from "../core/names.ts";
import type { Workflow } from "../definition/workflow.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import type { Registration } from "../protocol/workflows.ts";
import { registrationsOf } from "./registrations.ts";
import {
  POOL_VERSION,
  poolName,
  type SourceConnection,
  type WorkflowSource,
} from "./workflow-source.ts";

type NameAndVersion = Pick<Workflow, "name" | "version">;

export class ServedWorkflows {
  /** As the worker receives them: pools count as workflows. */
  readonly versions: ReadonlyMap<string, readonly number[]>;
  readonly #sources: readonly WorkflowSource[];
  readonly #given: readonly Workflow[];
  readonly #definitions: ReadonlyMap<string, Workflow>;
  #registrations: readonly Registration[] | undefined;

  /** @throws InvalidArgument without a workflow or pool, or for two of the same name and version; InvalidName. */
  constructor(given: readonly Workflow[], sources: readonly WorkflowSource[] = []) {
    const all = withHandlers([...given, ...sources.flatMap(({ workflows = [] }) => workflows)]);
    const pools = sources.flatMap((source) => source.pools);
    for (const pool of pools) checkPoolName(pool);
    if (all.length + pools.length === 0)
      throw new InvalidArgument("A worker needs at least one workflow to serve, or a pool.");
    this.#given = given;
    this.#sources = sources;
    this.#definitions = byVersion(all);
    this.versions = new Map([
      ...versionsOf(all),
      ...pools.map((pool) => [poolName(pool), [POOL_VERSION]] as const),
    ]);
  }

  definition(of: NameAndVersion): Workflow | undefined {
    return this.#definitions.get(keyOf(of));
  }

  /** Asks the sources. Rejects if one can't tell. */
  async resolve(
    { name, version, journal, continuation }: WorkflowDelivery,
    connection: SourceConnection,
  ): Promise<Workflow | undefined> {
    // An item begins with what its parent has decided.
    const hasDecided = (decision: string): boolean =>
      continuation.item === true ||
      journal.some(({ decisions = [] }) => decisions.some((each) => each.name === decision));
    for (const source of this.#sources) {
      const workflow = await source.resolve(name, version, connection, hasDecided);
      if (workflow !== undefined) return workflow;
    }
    return undefined;
  }

  all(): readonly Workflow[] {
    return [...this.#definitions.values()];
  }

  /**
   * All of them, as the worker registers them in each shard.
   *
   * @param onTrouble Gets an error from the first call for each schema that is left out.
   */
  registrations(onTrouble: (error: unknown) => void): readonly Registration[] {
    this.#registrations ??= registrationsOf(this.all(), onTrouble);
    return this.#registrations;
  }

  /** The newest version of each workflow that has flow control; the database ignores that of older ones. */
  newestWithFlowControl(): readonly Workflow[] {
    const newest = new Map<string, Workflow>();
    for (const workflow of this.#given) {
      const other = newest.get(workflow.name);
      if (workflow.flowControl === undefined || (other?.version ?? 0) > workflow.version) continue;
      newest.set(workflow.name, workflow);
    }
    return [...newest.values()];
  }
}

/** Adds the failure handlers of the workflows, each once. */
const withHandlers = (workflows: readonly Workflow[]): readonly Workflow[] => [
  ...new Set(
    workflows.flatMap((one) => [one, ...(one.onFailure ? [one.onFailure as Workflow] : [])]),
  ),
];

const keyOf = ({ name, version }: { name: string; version: number }): string =>
  `${name}@${version}`;

function byVersion(workflows: readonly Workflow[]): ReadonlyMap<string, Workflow> {
  const definitions = new Map<string, Workflow>();
  for (const workflow of workflows) {
    if (definitions.has(keyOf(workflow))) {
      throw new InvalidArgument(
        `Workflow "${workflow.name}" is given twice in version ${workflow.version}: give one of them another version.`,
      );
    }
    definitions.set(keyOf(workflow), workflow);
  }
  return definitions;
}

/** The versions of each name. */
export function versionsOf(workflows: readonly Workflow[]): ReadonlyMap<string, readonly number[]> {
  const versions = new Map<string, number[]>();
  for (const { name, version } of workflows)
    versions.set(name, [...(versions.get(name) ?? []), version]);
  return versions;
}
