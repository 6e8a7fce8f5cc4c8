/** Workflows as workers have registered them. */

/** A version of a workflow that a worker serves, with the defaults of its runs. */
export interface Registration {
  readonly name: string;
  readonly version: number;
  readonly retentionDays?: number | undefined;
  readonly deadlineMs?: number | undefined;
  /** The workflow that handles its failures. */
  readonly onFailure?: string | undefined;
  /** JSON Schema of the input. Undefined keeps the one that is registered. */
  readonly inputSchema?: Readonly<Record<string, unknown>> | undefined;
}

/** A version of a workflow as workers have registered it; a default that is null is that of the database. */
export interface RegisteredVersion {
  readonly workflow: string;
  readonly version: number;
  readonly retentionDays: number | null;
  readonly deadlineMs: number | null;
  readonly onFailure: string | null;
  readonly registeredAt: Date;
  /** JSON Schema of the input that a start takes, if the library of the workflow's `input` converts to it. */
  readonly inputSchema: Readonly<Record<string, unknown>> | null;
}

/** The member of an input schema by which a workflow is offered as a tool: an object, with a `description` or without. */
export const TOOL_KEYWORD = "x-oxbow-tool";

/** A workflow that is offered as a tool to language models. */
export interface WorkflowTool {
  readonly workflow: string;
  readonly version: number;
  readonly description: string | null;
  /** JSON Schema of the input. */
  readonly inputSchema: Readonly<Record<string, unknown>>;
  /** It is a published definition rather than a workflow in code. */
  readonly isDefinition: boolean;
}

/** A workflow, and how many runs of it have each status. */
export interface WorkflowTally {
  readonly name: string;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

/** A worker that has reported itself within the last hour. */
export interface WorkerEntry {
  /** Drawn when the worker started. */
  readonly workerId: string;
  readonly host: string;
  readonly processId: number;
  readonly sdkVersion: string;
  /** The versions that it serves, by workflow. */
  readonly serves: Readonly<Record<string, readonly number[]>>;
  /** Maximum number of runs that it executes concurrently. */
  readonly slots: number;
  /** How many runs it executed at its last report, which is at most 20 seconds old. */
  readonly busySlots: number;
  readonly startedAt: Date;
  readonly lastSeenAt: Date;
  /** False if it has not reported itself for a minute: it was killed, or can't reach the database. */
  readonly isLive: boolean;
}

/** What a worker reports of itself. */
type WorkerReport = Omit<WorkerEntry, "isLive" | "lastSeenAt" | "startedAt">;

export interface WorkflowTransport {
  /** Returns how many are new or have changed. */
  register(registrations: readonly Registration[]): Promise<number>;
  /** Returns false if it was not registered. */
  unregister(workflow: string, version: number): Promise<boolean>;
  /** The latest version first. */
  versions(workflow: string): Promise<RegisteredVersion[]>;
  /** Workflows whose latest version is offered as a tool, by name. */
  tools(): Promise<WorkflowTool[]>;
  /** All workflows that were ever started, by name. */
  tally(): Promise<WorkflowTally[]>;
  reportWorker(report: WorkerReport): Promise<void>;
  removeWorker(workerId: string): Promise<void>;
  workers(): Promise<WorkerEntry[]>;
}
