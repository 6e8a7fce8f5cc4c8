/**
 * The checker: one pure function for editors, servers, the command line and tests. It finds all problems of a document,
 * and what publishing stores besides. An error is what can't run; whatever may go well is a warning with its remedy, so
 * that users can publish.
 */
import type { JsonSchema, Node, Trigger } from "../document/document.ts";
import type { Problem } from "../document/problem.ts";
import { BUILT_IN_TRIGGERS, sourceProblems } from "./built-in-triggers.ts";
import { childPointer } from "../document/pointer.ts";
import { readDocument } from "../document/read-document.ts";
import { isObject, type Json, type JsonObject } from "../document/json.ts";
import { readBinding } from "../document/binding.ts";
import { prefilterOf, type Requirement } from "../expression/prefilter.ts";
import { nameOfType } from "../graph/plan.ts";
import type { NodeTypeDescription } from "../nodes/descriptor.ts";
import { misplacedSecrets } from "../nodes/secret-places.ts";
import { typeOfSchema } from "../types/from-schema.ts";
import { hintOfClosest } from "../types/stepping.ts";
import type { Type } from "../types/type.ts";
import { Analysis } from "./analysis.ts";
import { Bindings } from "./bindings.ts";
import { type Catalog, describeNodeType, knownNodeTypes } from "./catalog.ts";
import { handleProblems } from "./handles.ts";
import { Findings } from "./findings.ts";
import { casesOf, parameterOf } from "./node-types.ts";
import { findRangeProblems } from "./ranges.ts";
import type { References } from "./references.ts";
import type { Place } from "./scopes.ts";

/** The result of a check. */
export interface CheckedDocument {
  /** Errors first. */
  readonly problems: readonly Problem[];
  /** The data that publishing stores. Absent if there are errors. */
  readonly compiled?: CompiledDocument;
}

export interface CompiledDocument {
  readonly references: References;
  readonly triggers: readonly CompiledTrigger[];
}

export interface CompiledTrigger {
  readonly id: string;
  /** A trigger type, a topic pattern, `webhook`, `run.ended`, `schedule` or `manual`. */
  readonly on: string;
  /** Members that the guard requires of the event as it was sent. */
  readonly prefilter: readonly Requirement[];
}

/**
 * Checks a document.
 *
 * @param value - Unknown JSON.
 * @param catalog - The things that it may refer to.
 */
export function checkDocument(value: unknown, catalog: Catalog): CheckedDocument {
  const read = readDocument(value);
  if (read.document === undefined) return { problems: read.problems };
  return new Check(read.document, catalog).run();
}

class Check extends Analysis {
  private readonly findings = new Findings();

  run(): CheckedDocument {
    for (const problem of this.structure) this.findings.add(problem);
    // In this order no type waits for a long chain of others.
    for (const id of this.scopes.order()) this.nodeTypes.output(id);
    for (const [id, node] of Object.entries(this.document.nodes)) this.node(id, node);
    for (const problem of handleProblems(this.document, this.nodeTypes)) this.findings.add(problem);
    const triggers = Object.entries(this.document.triggers ?? {}).map(([id, trigger]) =>
      this.trigger(id, trigger),
    );
    const problems = this.findings.all();
    if (problems.some(({ severity }) => severity === "error")) return { problems };
    return { problems, compiled: { references: this.services.references.collected(), triggers } };
  }

  private bindings(place: Place): Bindings {
    const hasTypes = place.kind === "parameters" || place.kind === "rollback";
    return new Bindings(this.services, this.scopes.at(place), this.findings, hasTypes);
  }

  private node(id: string, node: Node): void {
    const pointer = childPointer("/nodes", id);
    this.nodeType(node.type, childPointer(pointer, "type"));
    if (node.when !== undefined) {
      this.bindings({ kind: "guard", node: id }).guard(node.when, childPointer(pointer, "when"));
    }
    const parameters = this.bindings({ kind: "parameters", node: id });
    this.parameters(id, node, parameters, childPointer(pointer, "params"));
    if (node.fallback !== undefined) {
      const fallback = this.bindings({ kind: "fallback", node: id });
      fallback.type(node.fallback, childPointer(pointer, "fallback"));
      if (node.onError !== "continue") {
        const hint = 'Set "onError": "continue", or remove the fallback.';
        const own = childPointer(pointer, "fallback");
        this.findings.warning(own, "UNUSED_FALLBACK", "the fallback is never used", hint);
      }
    }
    this.rollback(id, node, pointer);
    if (typeof node.join === "object" && node.join.count > 1 && !this.scopes.canRun(id)) {
      const message = `"${id}" never runs: no combination of decisions takes ${node.join.count} of its edges`;
      const hint = "Lower the count, or draw edges that are taken together.";
      this.findings.error(childPointer(pointer, "join"), "UNREACHABLE_COUNT", message, hint);
    }
  }

  private nodeType(type: string, pointer: string): void {
    this.services.references.add("nodeTypes", type);
    const known = knownNodeTypes(this.catalog);
    const isGuess = this.catalog.isGuess?.(type) === true;
    if (!isGuess && (known.includes(type) || this.catalog.nodeType(type) !== undefined)) return;
    const otherwise = "Start a worker that registers it, or choose another type.";
    const hint = hintOfClosest(type, known, otherwise);
    if (isGuess) {
      const message = `no worker of the pool has registered node types, so "${type}" isn't checked`;
      this.findings.warning(pointer, "UNKNOWN_NODE_TYPE", message, hint);
      return;
    }
    this.findings.error(pointer, "UNKNOWN_NODE_TYPE", `there is no node type "${type}"`, hint);
  }

  private rollback(id: string, node: Node, pointer: string): void {
    if (node.rollback === undefined) return;
    const own = childPointer(pointer, "rollback");
    this.nodeType(node.rollback.type, childPointer(own, "type"));
    const description = describeNodeType(this.catalog, node.rollback.type);
    if (!calls(this.nodeTypes.description(id))) {
      const message = `"${node.type}" can't be undone`;
      const hint = "Give the rollback to a node that calls something outside of the run.";
      this.findings.error(own, "INVALID_ROLLBACK", message, hint);
    }
    if (!calls(description)) {
      const message = `"${node.rollback.type}" can't undo a node`;
      const hint = "Choose a node type that calls something outside of the run.";
      this.findings.error(childPointer(own, "type"), "INVALID_ROLLBACK", message, hint);
    }
    const wanted = typeOfSchema(description?.params, this.resolve);
    const { params = {} } = node.rollback;
    const bindings = this.bindings({ kind: "rollback", node: id });
    const at = childPointer(own, "params");
    bindings.fit(params, wanted, at, "the parameters");
    this.secrets(params, description, at);
    this.ranges(params, description?.params, at);
  }

  private ranges(value: Json, schema: JsonSchema | undefined, pointer: string): void {
    const { resolve, findings } = this;
    findRangeProblems(value, schema, { pointer, resolve, findings });
  }

  private secrets(params: Json, type: NodeTypeDescription | undefined, pointer: string): void {
    if (type === undefined) return;
    for (const { name, pointer: own } of misplacedSecrets(params, type)) {
      this.findings.misplacedSecret(name, `${pointer}${own}`);
    }
  }

  /** Some members of the parameters are evaluated elsewhere. */
  private parameters(id: string, node: Node, bindings: Bindings, pointer: string): void {
    const wanted = this.nodeTypes.parameters(id);
    const { params = {} } = node;
    const elsewhere = boundInBody(this.nodeTypes.description(id)?.params);
    const isWritten = isObject(params) && readBinding(params) === undefined;
    const own = isWritten ? without(params, elsewhere) : params;
    bindings.fit(own, withoutMembers(wanted, elsewhere), pointer, "the parameters");
    this.ranges(params, this.nodeTypes.description(id)?.params, pointer);
    this.secrets(params, this.nodeTypes.description(id), pointer);
    switch (nameOfType(node.type)) {
      case "branch":
        this.cases(id, node, childPointer(pointer, "cases"));
        break;
      case "for_each":
        this.forEach(id, node, pointer);
        break;
      case "repeat":
        this.collect(id, node, pointer);
        this.guardAtEnd(id, node, childPointer(pointer, "until"));
        break;
      case "run":
        this.workflow(node, bindings, pointer);
        break;
      case "end":
        this.output(node, bindings, childPointer(pointer, "output"));
        break;
      default:
    }
  }

  private cases(id: string, node: Node, pointer: string): void {
    const bindings = this.bindings({ kind: "guard", node: id });
    const seen = new Set<string>();
    for (const [at, { id: name, when }] of casesOf(node).entries()) {
      const own = childPointer(pointer, at);
      if (typeof when === "string") bindings.guard(when, childPointer(own, "when"));
      if (seen.has(name) || name === "else" || name === "error") {
        const message = seen.has(name)
          ? `the case "${name}" is there twice`
          : `a case can't have the id "${name}", which is another handle`;
        this.findings.error(childPointer(own, "id"), "DUPLICATE", message, "Choose another id.");
      }
      seen.add(name);
    }
  }

  /** The result of an iteration, evaluated at its end. */
  private collect(id: string, node: Node, pointer: string): void {
    const collect = parameterOf(node, "collect");
    if (collect === undefined) return;
    this.bindings({ kind: "body", loop: id }).type(collect, childPointer(pointer, "collect"));
  }

  private forEach(id: string, node: Node, pointer: string): void {
    this.collect(id, node, pointer);
    if (parameterOf(node, "as") === "runs") {
      this.rollbacksOfItems(id);
      return;
    }
    // A child run has a separate journal.
    const waiting = Object.entries(this.document.nodes).find(
      ([each, { parent, type }]) =>
        parent === id && type !== "run@1" && this.nodeTypes.description(each)?.waits === true,
    );
    if (waiting === undefined) return;
    const message = `"${waiting[0]}" waits inside the loop "${id}", which keeps all items in one journal`;
    const hint = 'For many items, set "as": "runs": each item becomes a run.';
    this.findings.warning(childPointer("/nodes", waiting[0]), "WAITS_IN_LOOP", message, hint);
  }

  /** Child runs are rolled back by themselves. */
  private rollbacksOfItems(loop: string): void {
    const { nodes } = this.document;
    for (const [id, { parent = "", rollback }] of Object.entries(nodes)) {
      const isInside = parent === loop || nodes[parent]?.parent === loop;
      if (!isInside || rollback === undefined) continue;
      const message = `"${id}" is undone only if its own item fails or is stopped, since each item of the loop "${loop}" is a run`;
      const hint = 'To undo completed items when the workflow fails, set "as": "inline".';
      const own = childPointer(childPointer("/nodes", id), "rollback");
      this.findings.warning(own, "ROLLBACK_IN_ITEM", message, hint);
    }
  }

  private guardAtEnd(id: string, node: Node, pointer: string): void {
    const until = parameterOf(node, "until");
    if (typeof until === "string") this.bindings({ kind: "body", loop: id }).guard(until, pointer);
  }

  private workflow(node: Node, bindings: Bindings, pointer: string): void {
    const name = parameterOf(node, "workflow");
    if (typeof name !== "string") return;
    this.services.references.add("workflows", name);
    const own = childPointer(pointer, "workflow");
    const { workflow } = this.catalog;
    if (workflow === undefined) return;
    const found = workflow(name);
    if (found === undefined && name !== this.document.name) {
      const hint = "Publish it first, or choose another one.";
      this.findings.error(own, "UNKNOWN_WORKFLOW", `there is no workflow "${name}"`, hint);
      return;
    }
    const circle = circleOf(this.document.name, name, workflow);
    if (circle !== undefined) {
      const way = circle.map((each) => `"${each}"`).join(" → ");
      const hint = "If it ends by a condition, keep it; the depth of child runs is limited.";
      const message = `the workflows run each other in a circle: ${way}`;
      this.findings.warning(own, "WORKFLOW_CIRCLE", message, hint);
    }
    const input = parameterOf(node, "input") ?? {};
    const wanted = typeOfSchema(found?.input, this.resolve);
    const at = childPointer(pointer, "input");
    bindings.fit(input, wanted, at, `the input of "${name}"`);
    this.ranges(input, found?.input, at);
  }

  private output(node: Node, bindings: Bindings, pointer: string): void {
    const output = parameterOf(node, "output");
    if (output === undefined || this.document.output === undefined || node.parent !== undefined) {
      return;
    }
    bindings.fit(output, typeOfSchema(this.document.output, this.resolve), pointer, "the output");
    this.ranges(output, this.document.output, pointer);
  }

  private trigger(id: string, trigger: Trigger): CompiledTrigger {
    const pointer = childPointer("/triggers", id);
    const { on, when, once_for: onceFor = [], input, recheck, delay } = trigger;
    const description = BUILT_IN_TRIGGERS.get(on) ?? this.catalog.trigger?.(on);
    const event = typeOfSchema(description?.event, this.resolve);
    const environment = this.scopes.ofTrigger(event);
    const bindings = new Bindings(this.services, environment, this.findings, false);
    const guard =
      when === undefined ? undefined : bindings.guard(when, childPointer(pointer, "when"));
    for (const [at, text] of onceFor.entries()) {
      bindings.expression(text, childPointer(childPointer(pointer, "once_for"), at));
    }
    const wanted = typeOfSchema(this.document.input, this.resolve);
    const given = input ?? { $path: "event" };
    const at = input === undefined ? pointer : childPointer(pointer, "input");
    bindings.fit(given, wanted, at, "the input");
    this.ranges(given, this.document.input, at);
    if (recheck === true && delay === undefined) {
      const hint = "Set a delay, or remove it.";
      const own = childPointer(pointer, "recheck");
      this.findings.warning(own, "UNUSED_RECHECK", "recheck has no effect without a delay", hint);
    }
    for (const { code, member, message, hint } of sourceProblems(trigger)) {
      const own = member === undefined ? pointer : childPointer(pointer, member);
      if (code === "INVALID_SCHEDULE") this.findings.error(own, code, message, hint);
      else this.findings.warning(own, code, message, hint);
    }
    const loaded = new Set(description?.loaded ?? []);
    const prefilter = guard === undefined ? [] : prefilterOf(guard);
    return { id, on, prefilter: prefilter.filter(({ path }) => !loaded.has(path[0] ?? "")) };
  }
}

/** Members of parameters whose bindings are evaluated at the end of an iteration. */
function boundInBody(params: JsonSchema | undefined): readonly string[] {
  const properties = isObject(params) && isObject(params["properties"]) ? params["properties"] : {};
  return Object.entries(properties).flatMap(([name, schema]) =>
    isObject(schema) && schema["scope"] === "body" && schema["widget"] !== "expression"
      ? [name]
      : [],
  );
}

/** Whether a type can be undone, and undo. */
const calls = ({
  isCall = true,
  isTransaction = false,
}: Partial<NodeTypeDescription> = {}): boolean => isCall && !isTransaction;

function without(params: JsonObject, names: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(params).filter(([name]) => !names.includes(name)));
}

function withoutMembers(type: Type, names: readonly string[]): Type {
  if (type.kind !== "object" || names.length === 0) return type;
  const members = new Map([...type.members].filter(([name]) => !names.includes(name)));
  return { ...type, members };
}

/** The names from a workflow back to itself; undefined if it doesn't run itself. */
function circleOf(
  start: string,
  first: string,
  workflow: NonNullable<Catalog["workflow"]>,
): readonly string[] | undefined {
  const seen = new Set<string>();
  const waiting: (readonly string[])[] = [[start, first]];
  for (let way = waiting.pop(); way !== undefined; way = waiting.pop()) {
    const last = way.at(-1) ?? "";
    if (last === start) return way;
    if (seen.has(last)) continue;
    seen.add(last);
    for (const next of workflow(last)?.runs ?? []) waiting.push([...way, next]);
  }
  return undefined;
}
