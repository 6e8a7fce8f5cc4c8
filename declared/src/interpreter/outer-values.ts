/**
 * The values from outside of a loop that its body reads. A run of an item gets them with its input, so only the members
 * that the document names are copied, rather than all that is in reach.
 */
import type { Document, Node } from "../document/document.ts";
import { isObject, type Json, type JsonObject, own } from "../document/json.ts";
import { type BoundValue, parseBoundValue } from "../expression/bound-value.ts";
import { InvalidExpression } from "../expression/expression-errors.ts";
import { parseExpression } from "../expression/expression.ts";
import { type Path, readsOf } from "../expression/reads.ts";
import type { Syntax } from "../expression/syntax.ts";
import { isWithin } from "./test-plan.ts";

/** The members that are read of a value. */
interface Reads {
  /** All of it is read. */
  isWhole: boolean;
  readonly members: Map<string | number, Reads>;
}

/** Variables that an item has by itself, or that no run journals. */
const OWN: ReadonlySet<string> = new Set(["item", "index", "run", "now"]);

/** Members of parameters that are conditions, whatever the type of the node is. */
const CONDITIONS: ReadonlySet<string> = new Set(["when", "until"]);

export class OuterValues {
  readonly #reads = noReads();

  constructor(document: Document, loop: string) {
    const nodes = Object.entries(document.nodes).filter(([, each]) =>
      isWithin(document, each, loop),
    );
    const inside = new Set(nodes.map(([id]) => id));
    const { params } = document.nodes[loop] ?? {};
    const collect = isObject(params) ? params["collect"] : undefined;
    const paths = [
      ...nodes.flatMap(([, node]) => readsOfNode(node)),
      ...(collect === undefined ? [] : readsOfValue(collect)),
    ];
    for (const { path, isQuestion } of paths) {
      const [variable, member] = path;
      const isOfBody = variable === "nodes" && inside.has(String(member));
      const isOfItem = variable === "loops" && member === loop;
      if (!OWN.has(variable) && !isOfBody && !isOfItem) note(this.#reads, path, isQuestion);
    }
  }

  /** Returns those of the variables around the loop. */
  of(variables: Readonly<Record<string, unknown>>): JsonObject {
    return pick(variables as JsonObject, this.#reads) as JsonObject;
  }
}

const noReads = (): Reads => ({ isWhole: false, members: new Map() });

function note(reads: Reads, path: Path, isQuestion: boolean): void {
  let at = reads;
  for (const step of path) {
    const member = at.members.get(step) ?? noReads();
    at.members.set(step, member);
    at = member;
  }
  if (!isQuestion) at.isWhole = true;
}

function pick(value: Json, { isWhole, members }: Reads): Json {
  // Nothing is read of a value whose existence is the only question.
  if (!isWhole && members.size === 0) return isObject(value) ? {} : value === null ? null : true;
  if (isWhole || !isObject(value)) return value;
  const entries = [...members].flatMap(([name, reads]): [string | number, Json][] => {
    const member = own(value, name);
    return member === undefined ? [] : [[name, pick(member, reads)]];
  });
  return Object.fromEntries(entries);
}

type NodeRead = { readonly path: Path; readonly isQuestion: boolean };

function readsOfNode({ when, params, fallback, rollback }: Node): NodeRead[] {
  return [
    ...(when === undefined ? [] : readsOfText(when)),
    ...[params, fallback, rollback?.params].flatMap((value) =>
      value === undefined ? [] : [...readsOfValue(value), ...readsOfConditions(value)],
    ),
  ];
}

const readsOfValue = (value: Json): NodeRead[] => readsOfBound(parseBoundValue(value));

function readsOfBound(bound: BoundValue): NodeRead[] {
  switch (bound.kind) {
    case "list":
      return bound.items.flatMap(readsOfBound);
    case "object":
      return bound.members.flatMap(([, member]) => readsOfBound(member));
    case "path":
      return [{ path: bound.path, isQuestion: false }];
    case "cel":
      return readsOfSyntax(bound.expression.syntax);
    case "text":
      return bound.template.parts.flatMap((part) =>
        typeof part === "string" ? [] : readsOfSyntax(part.expression.syntax),
      );
    case "config":
      return [{ path: ["config", bound.name], isQuestion: false }];
    case "literal":
    case "secret":
      return [];
    default:
      return bound satisfies never;
  }
}

/**
 * The conditions of a branch or of a loop. In a text that is no condition, it may find more than is read, which does no
 * harm.
 */
function readsOfConditions(value: Json, isCondition = false): NodeRead[] {
  if (typeof value === "string") return isCondition ? readsOfText(value) : [];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, member]) =>
    readsOfConditions(member, CONDITIONS.has(name)),
  );
}

function readsOfText(text: string): NodeRead[] {
  try {
    return readsOfSyntax(parseExpression(text).syntax);
  } catch (error) {
    if (error instanceof InvalidExpression) return [];
    throw error;
  }
}

const readsOfSyntax = (syntax: Syntax): NodeRead[] => [...readsOf(syntax)];
