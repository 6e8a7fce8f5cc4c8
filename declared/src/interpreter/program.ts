/** A document, prepared for execution: compiled once for each version, and shared by its runs. Immutable. */
import type { Document, Node } from "../document/document.ts";
import { type Plan, planOf } from "../graph/plan.ts";
import type { Behaviour, Variables } from "../nodes/behaviour.ts";
import { BUILT_IN, BUILT_IN_CALLS } from "../nodes/built-in.ts";
import { callBehaviour, UnknownNodeType } from "../nodes/call.ts";
import type { NodeType } from "../nodes/node-type.ts";
import { guardOf, type Read, reader } from "../nodes/parameters.ts";

export interface Program {
  readonly document: Document;
  readonly plan: Plan;
  /** By the ids of nodes. */
  readonly uses: ReadonlyMap<string, Use>;
  /** Nodes whose handlers are called at the same time. */
  readonly maxParallel: number;
}

/** A node of the document. */
export interface Use {
  readonly guard: ((variables: Variables) => boolean) | undefined;
  readonly fallback: Read;
  readonly behaviour: Behaviour;
  /** Ids of the nodes from whose `error` an edge leads here. */
  readonly catches: readonly string[];
}

const DEFAULT_PARALLEL = 50;

/**
 * Prepares a document.
 *
 * @param document Checked: of sound structure, with valid expressions.
 * @param types Node types of the worker, by name and version; built-in ones need not be among them.
 * @throws UnknownNodeType; InvalidExpression and InvalidParameters for a document that wasn't checked
 */
export function programOf(document: Document, types: ReadonlyMap<string, NodeType>): Program {
  const uses = new Map<string, Use>();
  for (const [id, node] of Object.entries(document.nodes)) {
    const errors = (document.edges ?? []).filter(({ to, on }) => to === id && on === "error");
    uses.set(id, {
      guard: node.when === undefined ? undefined : guardOf(node.when),
      fallback: reader(node.fallback ?? null),
      behaviour: behaviourOf(id, node, types),
      catches: errors.map(({ from }) => from),
    });
  }
  const { maxParallel = DEFAULT_PARALLEL } = document.settings ?? {};
  return { document, plan: planOf(document), uses, maxParallel };
}

function behaviourOf(id: string, node: Node, types: ReadonlyMap<string, NodeType>): Behaviour {
  const make = BUILT_IN.get(node.type);
  if (make !== undefined) return make(id, node);
  const typeOf = (name: string): NodeType | undefined =>
    types.get(name) ?? BUILT_IN_CALLS.get(name);
  const type = typeOf(node.type);
  if (type === undefined) throw new UnknownNodeType(node.type, id);
  return callBehaviour(id, node, type, typeOf);
}
