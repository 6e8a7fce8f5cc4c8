/** A test run of a document: what its nodes do instead of their work, and where it ends. */
import type { Document, Node } from "../document/document.ts";
import { isObject, type Json, own, present } from "../document/json.ts";

/** Takes the place of a node's work in a test. */
export interface Pin {
  readonly output?: Json;
  /** The handle that it takes. Default: its first one. */
  readonly handle?: string;
  /** It fails. */
  readonly error?: { readonly code?: string; readonly message?: string };
}

/** The options of a test run, as `queue.definition_test()` has checked them. */
export interface TestPlan {
  /** Pins by node. */
  readonly pins: Readonly<Record<string, Pin>>;
  /** `mock`: nodes that read or write anything outside of the run take their pin, or a sample of their output. */
  readonly effects: "mock" | "real";
  /** The run ends after this node. */
  readonly until?: string;
  /** Only this node is executed. */
  readonly only?: string;
  /** In such a run: the item of the loop that contains the node. */
  readonly item?: Json;
}

/** A call in the journal of a test: `pin` and `sample` stand for work that was not done. */
export interface TestedCall {
  readonly $test: "pin" | "sample";
  readonly input: Json;
  readonly handle: string;
  readonly output: Json;
}

/** The call that a value of the journal stands for; undefined if it is no value of a test. */
export function testedCallIn(value: unknown): TestedCall | undefined {
  if (!isObject(value)) return undefined;
  const { $test: kind, handle } = value;
  return (kind === "pin" || kind === "sample") && typeof handle === "string"
    ? (value as unknown as TestedCall)
    : undefined;
}

/** The document that a test executes: all of it, or one node with the body of its loop. */
export function documentOfTest(document: Document, { only }: TestPlan): Document {
  const node = only === undefined ? undefined : own(document.nodes, only);
  if (only === undefined || node === undefined) return document;
  const { type, params, retry, timeout } = node;
  const alone: Node = present({ type, params, retry, timeout });
  const body = Object.entries(document.nodes).filter(([, each]) => isWithin(document, each, only));
  const ids = new Set(body.map(([id]) => id));
  return {
    ...document,
    nodes: { [only]: alone, ...Object.fromEntries(body) },
    edges: (document.edges ?? []).filter(({ from, to }) => ids.has(from) && ids.has(to)),
  };
}

/** Whether a node is in the body of a loop, at any depth. */
export function isWithin(document: Document, { parent }: Node, loop: string): boolean {
  if (parent === undefined) return false;
  const outer = document.nodes[parent];
  return parent === loop || (outer !== undefined && isWithin(document, outer, loop));
}
