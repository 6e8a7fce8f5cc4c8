/** The progress of a run of a definition: states of its nodes and edges, as changes. */
import type { TimedJournalEntry, RunStatus } from "@oxbow/sdk";

/** An event of the progress of a run. Positions are for a reader that continues after an event. */
export type DefinitionProgressEvent =
  | ({
      readonly type: "changes";
      readonly position: string;
      /** Version of the definition. */
      readonly version: number;
    } & DefinitionProgressChanges)
  /** The run has another version now, or was retried: what was known of its nodes and edges is void. */
  | { readonly type: "reset"; readonly version: number }
  /** How the run is, and the nodes that wait, are retried, or have been called for more than a second. */
  | {
      readonly type: "state";
      readonly status: RunStatus;
      readonly activity: string | null;
      readonly nodes: Readonly<Record<string, "waiting" | "retrying" | "executing">>;
    }
  | { readonly type: "end"; readonly status: RunStatus };

/** The progress of a run at one moment. */
export interface DefinitionProgress {
  /** Position of the last row of the journal: `followProgress` continues after it. */
  readonly position: string;
  /** Version of the definition. */
  readonly version: number;
  readonly status: RunStatus;
  readonly activity: string | null;
  /** All of them, by path: `tell`, or `pack.17.reserve`. Iterations that have not begun are absent. */
  readonly nodes: Readonly<
    Record<string, DefinitionNodeStatus | "waiting" | "retrying" | "executing">
  >;
  /** All of them; those of loops with the path of their iteration. */
  readonly edges: readonly DefinitionEdgeChange[];
}

/** The states of the nodes and edges of a run whose journal grows. */
export interface DefinitionProgressFold {
  /** Returns the first states, as changes. */
  begin(): DefinitionProgressChanges;
  /** Takes the next row. */
  add(row: TimedJournalEntry): DefinitionProgressChanges;
  /** Returns the states of all nodes and edges, by the rows so far. Iterations that have not begun are absent. */
  states(): Pick<DefinitionProgressChanges, "nodes" | "edges">;
}

export type DefinitionNodeStatus =
  | "idle"
  | "ready"
  | "running"
  | "succeeded"
  | "failed"
  | "skipped"
  | "abandoned";

/** Changes that a row of the journal makes. */
export interface DefinitionProgressChanges {
  /** States of the nodes by path: `tell`, or `pack.17.reserve`. */
  readonly nodes: Readonly<Record<string, DefinitionNodeStatus>>;
  readonly edges: readonly DefinitionEdgeChange[];
  /** Present once the graph has ended. */
  readonly end?: "completed" | "failed" | "stopped";
}

export interface DefinitionEdgeChange {
  /** Prefix of the path in a loop: `pack.17.`; empty outside of loops. */
  readonly prefix: string;
  /** In the document. */
  readonly index: number;
  readonly status: "open" | "taken" | "skipped" | "failed";
}
