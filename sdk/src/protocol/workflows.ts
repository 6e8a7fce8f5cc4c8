/** Workflows as workers have registered them. */
/** A version of a workflow that a worker serves, with the defaults of its runs. */
export interface Registration {
  readonly name: string;
  readonly version: number;
  readonly retentionDays: number | undefined;
  readonly deadlineMs: number | undefined;
  /** The workflow that handles its failures. */
  readonly onFailure: string | undefined;
}

/** A version of a workflow as workers have registered it; a default that is null is that of the database. */
export interface RegisteredVersion {
  readonly workflow: string;
  readonly version: number;
  readonly retentionDays: number | null;
  readonly deadlineMs: number | null;
  readonly onFailure: string | null;
  readonly registeredAt: Date;
}

/** A workflow, and how many runs of it have each status. */
export interface WorkflowTally {
  readonly name: string;
  readonly running: number;
  readonly completed: number;
  readonly failed: number;
  readonly cancelled: number;
}

export interface WorkflowTransport {
  /** Returns how many are new or have changed. */
  register(registrations: readonly Registration[]): Promise<number>;
  /** Returns false if it was not registered. */
  unregister(workflow: string, version: number): Promise<boolean>;
  /** The latest version first. */
  versions(workflow: string): Promise<RegisteredVersion[]>;
  /** All workflows that were ever started, by name. */
  tally(): Promise<WorkflowTally[]>;
}
