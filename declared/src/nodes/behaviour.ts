/** How the use of a node executes: what the interpreter needs to know of each node type. */
import type { Items } from "@oxbow/sdk/internal/declared";
import type { Logger, Step } from "@oxbow/sdk/runtime";
import type { Json, JsonObject } from "../document/json.ts";
import type { Budget, BUDGET } from "../expression/budget.ts";
import type { Node } from "../document/document.ts";
import type { LoopBounds, Verdict } from "../graph/execution.ts";
import type { Capture } from "./node-type.ts";
import type { SecretSource } from "./secrets.ts";

/** The variables that bindings and guards read, by name. */
export type Variables = Readonly<Record<string, unknown>> & { readonly [BUDGET]?: Budget };

/** An outcome that only the bindings of a node decide. */
interface Decided {
  readonly handles: readonly string[];
  readonly output: Json;
}

/** The end of a step. */
export interface Finished {
  readonly handle: string;
  readonly output: Json;
}

/** The things that nodes need of the run and of the worker. */
export interface Services {
  readonly runId: string;
  readonly step: Step;
  readonly items: Items;
  readonly log: Logger;
  readonly secrets: SecretSource | undefined;
  readonly isTest: boolean;
  /** Undefined if the database is no sandbox. */
  readonly capture: Capture | undefined;
}

/** A place at which a node executes. */
export interface Place {
  /** Path of the node in the run, and name of its step: `pack.17.reserve`. */
  readonly path: string;
  readonly variables: Variables;
  readonly services: Services;
  /** The loop of an item that is a run, and the values from outside that its body reads. */
  readonly loop?: { readonly count: number; readonly values: JsonObject };
}

/** The result of an iteration. */
interface Judged {
  readonly verdict: Verdict;
  readonly result: Json;
}

export type Behaviour =
  /** No effect, no row: computed again in each replay. */
  | { readonly kind: "pure"; readonly compute: (variables: Variables) => Json }
  /** No effect; its answer is journaled as a decision. */
  | { readonly kind: "decision"; readonly decide: (variables: Variables) => Decided }
  /** A step of the run, named by the path. */
  | {
      readonly kind: "step";
      /** It calls a function: it counts for `maxParallel`, and finishes when its loop fails. Others only wait. */
      readonly isCall: boolean;
      readonly ask: (place: Place) => Promise<Finished>;
    }
  | LoopBehaviour;

export interface LoopBehaviour {
  readonly kind: "loop";
  /** The items of the loop, if it has some, and its bounds. */
  readonly open: (variables: Variables) => OpenedLoop;
  /** The result of an iteration that completed; `output` is that of its `end` nodes. */
  readonly judge: (variables: Variables, output: Json) => Judged;
  /** How long to pause before each iteration but the first. */
  readonly pause?: number | string;
  /** The output of a loop that succeeded. */
  readonly output: (results: readonly Json[], failures: readonly FailedIteration[]) => Json;
}

interface OpenedLoop {
  readonly bounds: LoopBounds;
  readonly items?: readonly Json[];
}

export interface FailedIteration {
  readonly index: number;
  readonly error: { readonly code: string; readonly message: string };
}

/** Makes the behaviour of a use of a node type. */
export type MakeBehaviour = (id: string, node: Node) => Behaviour;
