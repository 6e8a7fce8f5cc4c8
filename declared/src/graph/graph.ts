/**
 * What the machine reads of a workflow's document. This folder imports nothing: documents have this form, and so have
 * the random graphs of tests.
 */

/** Nodes by id, and edges between them. */
export interface Graph {
  readonly nodes: Readonly<Record<string, GraphNode>>;
  readonly edges?: readonly GraphEdge[];
  readonly settings?: { readonly failFast?: boolean };
}

export interface GraphNode {
  /** Node type with version: `end@…`, `for_each@…` and `repeat@…` mean something to the machine, others are tasks. */
  readonly type: string;
  /** Id of the loop that contains the node. */
  readonly parent?: string;
  readonly join?: "all" | "any" | { readonly count: number };
  readonly losers?: "abandon" | "finish";
  readonly onError?: "fail" | "continue";
  /** Parameters, of which `terminate` is read in an `end`. */
  readonly params?: unknown;
}

export interface GraphEdge {
  readonly from: string;
  /** Default: `out`. */
  readonly on?: string;
  readonly to: string;
}

/** The handle of an edge that doesn't name one. */
export const OUT = "out";

/** The handle that a node takes when it fails. */
export const ERROR = "error";
