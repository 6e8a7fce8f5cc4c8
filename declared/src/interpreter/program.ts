/** A document, prepared for execution: compiled once for each version, and shared by its runs. Immutable. */
import type { Document, Node } from "../document/document.ts";
import { type Plan, planOf } from "../graph/plan.ts";
import type { Behaviour, Variables } from "../nodes/behaviour.ts";
import { BUILT_IN, BUILT_IN_CALLS } from "../nodes/built-in.ts";
import { callBehaviour, parameterCheckOf, UnknownNodeType } from "../nodes/call.ts";
import { BUILT_IN_NODE_TYPES } from "../nodes/descriptors/built-in.ts";
import type { NodeType } from "../nodes/node-type.ts";
import { guardOf, type Read, reader } from "../nodes/parameters.ts";
import { documentOfTest, type TestPlan } from "./test-plan.ts";
import { testedBehaviour, type TestedUse } from "./tested-behaviour.ts";

export interface Program {
  readonly document: Document;
  readonly plan: Plan;
  /** By the ids of nodes. */
  readonly uses: ReadonlyMap<string, Use>;
  /** Nodes whose handlers are called at the same time. */
  readonly maxParallel: number;
  /** Of a test run. */
  readonly test: TestPlan | undefined;
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
 * @param given Checked: of sound structure, with valid expressions.
 * @param types Node types of the worker, by name and version; built-in ones need not be among them.
 * @throws UnknownNodeType; InvalidExpression and InvalidParameters for a document that wasn't checked
 */
export function programOf(
  given: Document,
  types: ReadonlyMap<string, NodeType>,
  test?: TestPlan,
): Program {
  const document = test === undefined ? given : documentOfTest(given, test);
  const uses = new Map<string, Use>();
  for (const [id, node] of Object.entries(document.nodes)) {
    const errors = (document.edges ?? []).filter(({ to, on }) => to === id && on === "error");
    uses.set(id, {
      guard: node.when === undefined ? undefined : guardOf(node.when),
      fallback: reader(node.fallback ?? null),
      behaviour:
        test === undefined
          ? behaviourOf(id, node, types)
          : testedBehaviour(useInTest(id, nodeInTest(node, test), types), test),
      catches: errors.map(({ from }) => from),
    });
  }
  const { maxParallel = DEFAULT_PARALLEL } = document.settings ?? {};
  return { document, plan: planOf(document), uses, maxParallel, test };
}

/** Without its rollback, unless the test has effects: a rollback of any type can undo a node that stays inside. */
function nodeInTest(node: Node, { effects }: TestPlan): Node {
  if (effects === "real") return node;
  const { rollback: _, ...rest } = node;
  return rest;
}

function useInTest(id: string, node: Node, types: ReadonlyMap<string, NodeType>): TestedUse {
  const type = types.get(node.type) ?? BUILT_IN_CALLS.get(node.type);
  return {
    id,
    node,
    behaviour: behaviourOf(id, node, types),
    descriptor:
      type?.descriptor ?? BUILT_IN_NODE_TYPES.find((descriptor) => descriptor.type === node.type),
    checkParams: type === undefined ? () => null : parameterCheckOf(id, node, type),
  };
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
