/** Where a worker gets workflows from that it can't list: their bodies are data, such as definitions in the database. */
import type { Workflow } from "../definition/workflow.ts";
import type { CapturedRequest, DefinitionDocument } from "../protocol/definitions.ts";
import type { ResourceTypeRegistration } from "../protocol/resources.ts";
import type { TriggerTransport } from "../protocol/triggers.ts";

/** Resolves the workflows of runs when they are received. Give it to `createWorker({ sources })`. */
export interface WorkflowSource {
  /** Names of pools: the worker receives the runs of all workflows that belong to them. */
  readonly pools: readonly string[];
  /** Descriptors of the node types that it executes, as JSON, which workers register in the catalog of the pools. */
  readonly nodeTypes?: readonly object[];
  /**
   * Returns a workflow in a version, which it may load. The run is given back for other workers, and received again some
   * seconds later, if this rejects, or returns undefined, because this worker can't execute it.
   *
   * @param documents - Of the database of the worker; always the same object for one worker.
   * @param hasDecided - Whether the run has journaled a decision of this name, as far as its journal was received, or is an item of a loop, which begins with the decisions of its parent. Absent: unknown.
   */
  resolve(
    name: string,
    version: number,
    documents: DefinitionDocuments,
    hasDecided?: (decision: string) => boolean,
  ): Promise<Workflow | undefined> | Workflow | undefined;
  /**
   * Types of resources that its documents may name, which workers register when they start.
   *
   * @internal
   */
  readonly resourceTypes?: readonly ResourceTypeRegistration[];
  /**
   * Workflows in code that its workers serve besides.
   *
   * @internal
   */
  readonly workflows?: readonly Workflow[];
  /**
   * Works besides the runs of a worker, from its start until the signal aborts. Rejects if it can't work at all.
   *
   * @internal
   */
  accompany?(work: SourceWork): Promise<void>;
}

/** The connection of a source to the database of its worker. */
interface SourceWork {
  readonly triggers: TriggerTransport;
  /** Aborts when the worker stops. */
  readonly signal: AbortSignal;
  readonly onTrouble: (doing: string, error: unknown) => void;
}

/** Reads documents of definitions by the connection of a worker. */
export interface DefinitionDocuments {
  /** Returns the document of a version; undefined if there is none. It never changes. */
  read(name: string, version: number): Promise<StoredDefinition | undefined>;
  /**
   * Returns values of the environment by name, read after the call.
   *
   * @param names - At least these. Absent: all.
   */
  config(names?: readonly string[]): Promise<Readonly<Record<string, unknown>>>;
  /** Whether the database is a sandbox, read after the call: a copy whose requests to the outside are captured. */
  isSandbox(): Promise<boolean>;
  /** Lists a request that a node has not sent because the database is a sandbox. */
  capture(request: CapturedRequest): Promise<unknown>;
}

/** A document as workers read it. */
export interface StoredDefinition {
  readonly document: DefinitionDocument;
  /** Of the version of a test run: what the run does instead of its work. */
  readonly test?: unknown;
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
