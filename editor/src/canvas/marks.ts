/** Marks of nodes and edges on a canvas: the differences of two versions, or the progress of a run. */
import { createContext, useContext } from "react";

export type Mark =
  | "added"
  | "removed"
  | "changed"
  | "running"
  | "waiting"
  | "retrying"
  | "succeeded"
  | "failed"
  | "skipped"
  | "abandoned"
  | "taken";

export interface Marks {
  readonly nodes: ReadonlyMap<string, Mark>;
  /** By `edgeId`. */
  readonly edges: ReadonlyMap<string, Mark>;
  /** Results of the guards of nodes in a run: `true`, `false` or `failed`. */
  readonly guards?: ReadonlyMap<string, string>;
  /** Nodes whose work a pin replaces in tests. */
  readonly pinned?: ReadonlySet<string>;
}

export const NO_MARKS: Marks = { nodes: new Map(), edges: new Map() };

export const MarksContext = createContext(NO_MARKS);

export const useMarks = (): Marks => useContext(MarksContext);
