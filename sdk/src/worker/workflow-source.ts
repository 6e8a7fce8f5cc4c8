/** Where a worker gets workflows from that it can't list: their bodies are data, such as definitions in the database. */
import type { Workflow } from "../definition/workflow.ts";
import type { Transport } from "../protocol/transport.ts";

/** Resolves the workflows of runs when they are received. Give it to `createWorker({ sources })`. */
export interface WorkflowSource {
  /** Names of pools: the worker receives the runs of all workflows that belong to them. */
  readonly pools: readonly string[];
  /**
   * Returns a workflow in a version, which it may load. The run is given back for other workers, and received again some
   * seconds later, if this rejects, or returns undefined, because this worker can't execute it.
   *
   * @param connection - To the database of the worker; always the same object for one worker.
   * @param hasDecided - Whether the run has journaled a decision of this name, as far as its journal was received, or
   *   is an item of a loop, which begins with the decisions of its parent. Default: unknown.
   */
  resolve(
    name: string,
    version: number,
    connection: SourceConnection,
    hasDecided?: (decision: string) => boolean,
  ): Promise<Workflow | undefined> | Workflow | undefined;
  /**
   * Workflows in code that its workers serve besides.
   *
   * @internal
   */
  readonly workflows?: readonly Workflow[];
  /**
   * Works besides the runs of a worker, from its start until the signal aborts, and reports its own failures.
   *
   * @internal
   */
  accompany?(work: SourceWork): Promise<void>;
}

/** The connection of a source to the database of its worker. */
export interface SourceConnection {
  /** @internal */
  readonly transport: Transport;
}

/** The work of a source besides the runs of a worker. */
export interface SourceWork extends SourceConnection {
  /** Aborts when the worker stops. */
  readonly signal: AbortSignal;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** Before the name of a pool, where workers name what they receive. No workflow has such a name. */
const POOL = "@";

/** The name under which workers receive the runs of a pool. */
export const poolName = (pool: string): string => `${POOL}${pool}`;

/** Whether a worker receives the runs of a pool by this name. */
export const isPoolName = (name: string): boolean => name.startsWith(POOL);

/** The version of the runs of a pool, where it is received; each stays with the version of its workflow. */
export const POOL_VERSION = 1;

/** The version of those that a worker has given back because it can't execute them. */
export const REFUSED_VERSION = 2;
