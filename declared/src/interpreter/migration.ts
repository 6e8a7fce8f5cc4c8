/**
 * Whether a run can continue with another version of its document. Its journal is replayed by the new version without a
 * worker: no handler is called, and nothing is sent.
 *
 *   M1  The new version asks for the steps of the journal in their order, and for the steps that the run waits for or retries.
 *       What it decided stays decided.
 *   M2  A node that waits, and a loop that has begun, are the same in both versions: the database has the deadline of the
 *       one, and the journal the number of the other's items.
 *   M3  The input and the values of the environment that the run has fulfil the new version. A run that has not read
 *       any yet is replayed with those of the database, which has all that the version names.
 *
 * Gives up: outputs of `set` nodes are computed by the new version, as in any replay. Names of the environment that an
 * expression computes are looked up only in the database.
 */
import type { RunRecording } from "@oxbow/sdk";
import type { DefinitionDeparture } from "../protocol/definition-tools.ts";
import { replayRecording } from "@oxbow/sdk/internal/declared";
import { configNamesOf } from "../check/config-names.ts";
import { canonicalJson } from "../document/canonical-json.ts";
import type { Document, Node } from "../document/document.ts";
import { isObject, type Json, type JsonObject } from "../document/json.ts";
import { BUILT_IN_CALLS } from "../nodes/built-in.ts";
import type { NodeDescriptor, NodeTypeDescription } from "../nodes/descriptor.ts";
import { type NodeHandler, type NodeType, nodeTypeOf } from "../nodes/node-type.ts";
import { issueWithSchema } from "../types/conformance.ts";
import { CONFIG_DECISION, workflowOf } from "./workflow-of.ts";

/** A migration that is asked for. */
export interface Migration {
  /** The document of the run's version. */
  readonly from: Document;
  readonly to: Document;
  readonly recording: RunRecording;
  /** Describes the node types of the pool. */
  readonly nodeType: (type: string) => NodeTypeDescription | undefined;
  /** Values of the environment, as far as they are known here: workers may have others in their options. */
  readonly config: JsonObject;
}

/** Returns why the run can't continue with the new version, and by which node; undefined if it can. */
export async function departureOf(migration: Migration): Promise<DefinitionDeparture | undefined> {
  const decisions = decisionsOf(migration.recording);
  return (
    departureOfValues(migration, decisions) ??
    departureOfWaits(migration) ??
    departureOfDecisions(migration, decisions) ??
    departureOfReplay(migration)
  );
}

type Decisions = ReadonlyMap<string, unknown>;

/** The answers that the run has journaled, by name. */
function decisionsOf({ journal }: RunRecording): Decisions {
  return new Map(
    journal.flatMap(({ decisions = [] }) => decisions.map(({ name, output }) => [name, output])),
  );
}

/** M3. */
function departureOfValues(
  migration: Migration,
  decisions: Decisions,
): DefinitionDeparture | undefined {
  const { to, recording } = migration;
  const { input = null } = recording;
  const issue = to.input === undefined ? undefined : issueWithSchema(input as Json, to.input);
  if (issue !== undefined) {
    return { message: `the input of the run does not fulfil the new schema: ${issue.message}` };
  }
  const journaled = decisions.get(CONFIG_DECISION);
  return isObject(journaled)
    ? departureOfJournaledConfig(migration, journaled)
    : departureOfUnknownConfig(migration);
}

/** A name that the old version reads as well is as absent as it was. */
function departureOfJournaledConfig(
  { from, to }: Migration,
  journaled: Readonly<Record<string, unknown>>,
): DefinitionDeparture | undefined {
  const [before, { names, isComputed }] = [configNamesOf(from), configNamesOf(to)];
  const missing = [...names].find(
    (name) => !Object.hasOwn(journaled, name) && !before.names.has(name) && !before.isComputed,
  );
  if (missing === undefined && (!isComputed || before.isComputed)) return undefined;
  return {
    message: `the run has journaled its values of the environment when it began, without ${missing === undefined ? "all that the new version may read" : `"${missing}"`}`,
  };
}

/** The run has not read the environment yet, so that it takes the values of its next worker. */
function departureOfUnknownConfig({ to, config }: Migration): DefinitionDeparture | undefined {
  const unknown = [...configNamesOf(to).names].find((name) => !Object.hasOwn(config, name));
  if (unknown === undefined) return undefined;
  return {
    message: `the new version reads the value "${unknown}" of the environment, which the database does not have, so that it is not known what the run would do. Set it with: oxbow config set ${unknown} <value>`,
  };
}

/** M2, of what waits. */
function departureOfWaits({
  from,
  to,
  recording: { waits },
}: Migration): DefinitionDeparture | undefined {
  for (const { step } of waits) {
    const node = nodeOf(step);
    const [before, after] = [from.nodes[node], to.nodes[node]];
    // One that is gone is found by the replay, unless the run does not ask for it any more.
    if (after !== undefined && !isSame(before, after)) {
      return { node, message: `the run waits in node "${node}", which differs` };
    }
  }
  return undefined;
}

/** M2, of loops, and M1, of branches. */
function departureOfDecisions(
  { from, to }: Migration,
  decisions: Decisions,
): DefinitionDeparture | undefined {
  for (const [path, output] of decisions) {
    const node = nodeOf(path);
    const after = to.nodes[node];
    const answer = isObject(output) ? output["value"] : undefined;
    if (after === undefined || !isObject(answer) || path.endsWith(" when")) continue;
    const { handles } = answer as { readonly handles?: unknown };
    if (!Array.isArray(handles)) {
      if (isSameLoop(from.nodes[node], after)) continue;
      return { node, message: `loop "${node}" has begun, and differs` };
    }
    const known = new Set(["else", ...casesOf(after)]);
    const gone = (handles as readonly string[]).find((handle) => !known.has(handle));
    if (gone !== undefined) {
      return {
        node,
        message: `node "${node}" took "${gone}", which it does not have any more`,
      };
    }
  }
  return undefined;
}

/** M1. */
async function departureOfReplay({
  to,
  recording,
  nodeType,
  config,
}: Migration): Promise<DefinitionDeparture | undefined> {
  const nodes = standInsFor(to, recording, nodeType);
  try {
    const { version } = recording;
    const replayed = await replayRecording(workflowOf(to, { version, nodes, config }), recording, {
      comparesEnd: false,
    });
    return replayed.outcome === "failed"
      ? { message: `the run would fail: ${replayed.error.message}` }
      : undefined;
  } catch (error) {
    const { facts, message } = error as { readonly facts?: unknown; readonly message: string };
    const step = isObject(facts) ? (facts as { readonly step?: unknown }).step : undefined;
    const [, difference = message] = DIFFERENCE.exec(message) ?? [];
    return typeof step === "string"
      ? { node: nodeOf(step), message: difference.replaceAll("the body", "the version") }
      : { message: difference };
  }
}

/** The difference in the message of a NondeterminismError, apart from its advice to authors of code. */
const DIFFERENCE = /^Run \d+ does not follow its journal: (.*?)\. Either the code/s;

/** Node types of which nothing is called, so that a replay needs no code of workers. */
function standInsFor(
  { nodes }: Document,
  { journal }: RunRecording,
  nodeType: Migration["nodeType"],
): NodeType[] {
  const transactions = new Set(
    journal.filter(({ kind }) => kind === "tx").map(({ name }) => nodes[nodeOf(name)]?.type),
  );
  const types = new Set<string>();
  for (const { type, rollback } of Object.values(nodes)) {
    types.add(type);
    if (rollback !== undefined) types.add(rollback.type);
  }
  return [...types].map((type) => {
    const built = BUILT_IN_CALLS.get(type)?.descriptor;
    const described = built ?? nodeType(type);
    const isTransaction = transactions.has(type) || described?.isTransaction === true;
    const descriptor: NodeDescriptor = {
      handles: ["out"],
      ...described,
      title: type,
      type,
      params: {},
      effects: "none",
    };
    return nodeTypeOf(descriptor, isTransaction ? NO_TRANSACTION : NO_CALL, { params: {} });
  });
}

const never = (): never => {
  throw new Error("A replay calls nothing.");
};
const NO_CALL: NodeHandler = { kind: "run", run: never };
const NO_TRANSACTION: NodeHandler = { kind: "tx", tx: never };

/** The node of a path, or of what is journaled below one: `pack.17.reserve`, `pack.17.reserve when`, `pack.3 pause`. */
function nodeOf(path: string): string {
  const [place = ""] = path.replace(/^rollback:/, "").split(" ");
  const parts = place.split(".");
  const last = parts.at(-1) ?? "";
  return /^\d+$/.test(last) ? (parts.at(-2) ?? "") : last;
}

/** Titles are for people. */
function isSame(before: Node | undefined, after: Node | undefined): boolean {
  if (before === undefined || after === undefined) return before === after;
  const { title: _before, ...a } = before;
  const { title: _after, ...b } = after;
  return canonicalJson(a) === canonicalJson(b);
}

/** `collect` is evaluated at the end of an iteration. */
function isSameLoop(before: Node | undefined, after: Node): boolean {
  return before !== undefined && isSame(withoutCollect(before), withoutCollect(after));
}

function withoutCollect({ params, ...node }: Node): Node {
  if (!isObject(params)) return node;
  const { collect: _, ...rest } = params;
  return { ...node, params: rest };
}

function casesOf({ params }: Node): string[] {
  const { cases } = (isObject(params) ? params : {}) as { readonly cases?: unknown };
  const list = Array.isArray(cases) ? (cases as readonly { readonly id?: unknown }[]) : [];
  return list.map(({ id }) => String(id));
}
