/** A document, prepared for execution: compiled once for each version, and shared by its runs. Immutable. */
import type { Document, Node } from "../document/document.ts";
import { isObject } from "../document/json.ts";
import { bodyAt, itemRunOf, type Plan, planOf } from "../graph/plan.ts";
import type { Behaviour, Variables } from "../nodes/behaviour.ts";
import { BUILT_IN, BUILT_IN_CALLS } from "../nodes/built-in.ts";
import { callBehaviour, parameterCheckOf, UnknownNodeType } from "../nodes/call.ts";
import { FOR_EACH } from "../nodes/descriptors/for-each.ts";
import { BUILT_IN_NODE_TYPES } from "../nodes/descriptors/built-in.ts";
import type { NodeType } from "../nodes/node-type.ts";
import { guardOf, type Read, reader } from "../nodes/parameters.ts";
import type { ItemRun } from "./item-input.ts";
import { itemBehaviour } from "./item-runs.ts";
import { OuterValues } from "./outer-values.ts";
import { documentOfTest, isWithin, type TestPlan } from "./test-plan.ts";
import { testedBehaviour, type TestedUse } from "./tested-behaviour.ts";

export interface Program {
  readonly document: Document;
  readonly plan: Plan;
  /** Uses by the ids of nodes. */
  readonly uses: ReadonlyMap<string, Use>;
  /** Nodes whose handlers are called at the same time. */
  readonly maxParallel: number;
  /** Plan of a test run. */
  readonly test: TestPlan | undefined;
}

export interface Use {
  readonly guard: ((variables: Variables) => boolean) | undefined;
  readonly fallback: Read;
  readonly behaviour: Behaviour;
  /** Ids of the nodes from whose `error` an edge leads here. */
  readonly catches: readonly string[];
  /** Values from outside that the body of a loop over items reads. */
  readonly outerValues?: OuterValues;
}

const DEFAULT_PARALLEL = 50;

/**
 * Prepares a document.
 *
 * @param given Checked: of sound structure, with valid expressions.
 * @param types Node types of the worker, by name and version; built-in ones need not be among them.
 * @param version Of the workflow, in which items of loops that are runs are started.
 * @throws UnknownNodeType; InvalidExpression and InvalidParameters for a document that wasn't checked
 */
export function programOf(
  given: Document,
  types: ReadonlyMap<string, NodeType>,
  test?: TestPlan,
  version = 1,
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
          : testedBehaviour(useInTest(id, nodeInTest(document, id, test), types), test),
      catches: errors.map(({ from }) => from),
      ...(node.type === FOR_EACH.type ? { outerValues: new OuterValues(document, id) } : {}),
    });
    if (node.type === FOR_EACH.type) uses.set(itemRunOf(id), itemRunUse({ ...document, version }));
  }
  const { maxParallel = DEFAULT_PARALLEL } = document.settings ?? {};
  return { document, plan: planOf(document), uses, maxParallel, test };
}

/** The program of a run that is an item of a loop. */
export function programOfItem(program: Program, { path }: ItemRun): Program {
  return { ...program, plan: bodyAt(program.plan, path) };
}

const itemRunUse = ({ name, version }: { name: string; version: number }): Use => ({
  guard: undefined,
  fallback: () => null,
  behaviour: itemBehaviour({ name, version }),
  catches: [],
});

/**
 * Without its rollback, unless the test has effects: a rollback of any type can undo a node that stays inside. Without
 * runs for its items, if it is a loop in which the test ends.
 */
function nodeInTest(document: Document, id: string, { effects, until }: TestPlan): Node {
  const node = document.nodes[id] ?? { type: "" };
  const { rollback, ...rest } = node;
  const own = effects === "real" && rollback !== undefined ? node : rest;
  // A test that ends in the body of a loop ends with the first item that comes there, which only this run can see.
  const ends = until === undefined ? undefined : document.nodes[until];
  if (ends === undefined || !isWithin(document, ends, id) || !isObject(own.params)) return own;
  const { as: _, ...params } = own.params;
  return { ...own, params };
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
