/**
 * One execution of a document as the body of a run. It connects the graph (`graph/execution.ts`) with the durable steps
 * of the run:
 *
 *   I1  The name of a step is the path of its node. The graph gets outcomes one at a time, as the engine hands them over,
 *       and asks for what is ready in the order of ids, so every replay asks alike.
 *   I2  What only bindings decide is journaled without a separate row or commit: guards as `<path> when`, branches
 *       and the beginnings of loops under their path, the ends of rounds as `<path>.<round> until`. A replay takes it
 *       from the journal.
 *   I3  Outputs of `set` and `end` and results of loops are computed again in each replay, from journaled values.
 *   I4  Bindings of a call are resolved in its callback, so that the journal has outputs only, and no secrets. Their
 *       failure is that of the step, and isn't retried.
 *   I5  At most `maxParallel` calls are under way. Waits don't count.
 *   I6  An abandoned node is abandoned as a step. When a loop fails, its calls under way finish, and what waits is
 *       abandoned.
 *   I7  If each item of a loop is a run, an iteration is a step that waits for it (`item-runs.ts`). When the run ends,
 *       it abandons those under way: they don't outlive it.
 *   I8  The expressions that are evaluated between steps have a budget, so that a replay of the run ends. The run fails
 *       beyond it, rather than a node, since a replay takes decisions from the journal and so spends less.
 */
import type { Context } from "@oxbow/sdk/runtime";
import type { CapturedRequest } from "../protocol/definitions.ts";
import { decide, itemsOf } from "@oxbow/sdk/internal/declared";
import type { Json, JsonObject } from "../document/json.ts";
import { Budget, BUDGET } from "../expression/budget.ts";
import {
  Execution,
  type Frame,
  type Host,
  type Loop,
  type LoopEnd,
  type Verdict,
} from "../graph/execution.ts";
import type { MachineEnd } from "../graph/machine.ts";
import { isItemRun, pathAt, type PlannedNode } from "../graph/plan.ts";
import type { Behaviour, LoopBehaviour, Services } from "../nodes/behaviour.ts";
import { failureOf, NodeFailed, type NodeFailure } from "../nodes/failure.ts";
import type { Capture } from "../nodes/node-type.ts";
import type { SecretSource } from "../nodes/secrets.ts";
import {
  type FrameState,
  frameState,
  iterationState,
  type LoopState,
  outputOf,
} from "./frame-state.ts";
import type { ItemRun } from "./item-input.ts";
import { requireSmall, resultOf } from "./item-runs.ts";
import { errorIn, exhausted, loopFailure, noteFailure, UNKNOWN } from "./loop-failure.ts";
import { inputOf, keepingLines, type LogLine } from "./node-log.ts";
import { Parallelism } from "./parallelism.ts";
import type { Program, Use } from "./program.ts";

type At = Frame<FrameState>;

/** The answer of a decision, as it is journaled. */
type Answer<Value> = { readonly value: Value } | { readonly error: NodeFailure };

/** The surroundings of a run: its worker and its database. */
export interface Surroundings {
  readonly secrets?: SecretSource | undefined;
  /** Lists requests that are not sent; undefined outside of sandboxes. */
  readonly capture?: ((request: CapturedRequest) => Promise<unknown>) | undefined;
}

export class Interpretation implements Host<FrameState> {
  readonly #ctx: Context;
  readonly #services: Services;
  readonly #program: Program;
  readonly #execution: Execution<FrameState>;
  readonly #calls: Parallelism<string>;
  /** I8 */
  readonly #budget = new Budget();
  readonly #finished: Promise<Json>;
  /** The log of a test of one node. */
  readonly #lines: LogLine[] | undefined;
  /** Paths of the steps that failures come from, except failures of expressions. */
  readonly #failedSteps = new WeakMap<NodeFailure, string>();
  /** The iteration that this run executes, if it is an item of a loop. */
  readonly #item: ItemRun | undefined;
  /** Paths of the iterations under way that are runs. */
  readonly #itemRuns = new Set<string>();
  #resolve: (output: Json) => void = () => {};
  #reject: (error: unknown) => void = () => {};

  constructor(
    ctx: Context,
    program: Program,
    variables: Readonly<Record<string, unknown>>,
    { secrets, capture }: Surroundings = {},
    item?: ItemRun,
  ) {
    this.#item = item;
    this.#ctx = ctx;
    this.#program = program;
    this.#lines = program.test?.only === undefined ? undefined : [];
    const log = this.#lines === undefined ? ctx.logger : keepingLines(ctx.logger, this.#lines);
    const isTest = program.test !== undefined;
    const { runId, step } = ctx;
    const captureOwn: Capture | undefined =
      capture && ((request) => capture({ ...request, runId }));
    const items = itemsOf(ctx);
    this.#services = { runId, step, items, log, secrets, isTest, capture: captureOwn };
    // A test of one node has the outcomes of others, and an item the outcomes that its body reads.
    const pinned = (variables["nodes"] ?? {}) as FrameState["variables"]["nodes"];
    this.#calls = new Parallelism(program.maxParallel);
    const prefix = item === undefined ? "" : `${item.path}.`;
    this.#execution = new Execution(
      program.plan,
      frameState(prefix, { ...variables, [BUDGET]: this.#budget }, pinned),
      this,
    );
    this.#finished = new Promise((resolve, reject) => {
      this.#resolve = resolve;
      this.#reject = reject;
    });
  }

  /** Executes the graph. Resolves to its output; rejects with NodeFailed. */
  run(): Promise<Json> {
    this.#guarded(() => this.#execution.begin());
    return this.#finished;
  }

  /** The level of the graph itself. */
  get root(): Frame<FrameState> {
    return this.#execution.root;
  }

  // ── The graph asks ────────────────────────────────────────────────────────────────────────────────────────

  begin(frame: At, node: PlannedNode, mode: "run" | "fallback"): void {
    const use = this.#use(node);
    this.#noteFailuresBefore(frame, use, node, mode);
    if (mode === "fallback") {
      this.#settleBy(frame, node, () => use.fallback(frame.state.variables));
      return;
    }
    if (use.guard === undefined || this.#holds(frame, node, use.guard)) {
      this.#carryOut(frame, node, use.behaviour);
    }
  }

  abandon(frame: At, node: PlannedNode): void {
    const { behaviour } = this.#use(node);
    const path = pathOf(frame, node);
    delete frame.state.variables.nodes[node.id];
    frame.state.ends.delete(node.id);
    if (behaviour.kind !== "step" || this.#calls.takeBack(path)) return;
    this.#itemRuns.delete(path);
    this.#ctx.step.abandon(path);
    this.#calls.ended(path);
  }

  finishes(frame: At, node: PlannedNode): boolean {
    const { behaviour } = this.#use(node);
    if (behaviour.kind !== "step" || !behaviour.isCall) {
      this.abandon(frame, node);
      return false;
    }
    return !this.#calls.takeBack(pathOf(frame, node));
  }

  stateOf({ frame, node }: Loop<FrameState>, index: number): FrameState {
    return iterationState(frame.state, node.id, this.#loopState(frame, node), index);
  }

  judge(frame: At): Verdict {
    const { loop, index, state } = frame;
    if (loop === undefined) return "succeeded";
    const behaviour = this.#loopBehaviour(loop.node);
    try {
      const [own] = frame.machine.plan.nodes;
      const outcome = own && isItemRun(own.id) ? state.variables.nodes[own.id] : undefined;
      const judged = (): ReturnType<LoopBehaviour["judge"]> =>
        outcome !== undefined && "output" in outcome
          ? { verdict: "succeeded", result: outcome.output }
          : behaviour.judge(state.variables, outputOf(state));
      const { verdict, result } =
        loop.bounds.kind === "repeat" ? this.#judgeRound(frame, judged) : judged();
      this.#loopState(loop.frame, loop.node).results[index] = result;
      return verdict;
    } catch (error) {
      this.#requireBudget(error);
      state.failure = failureOf(error);
      return "failed";
    }
  }

  iterationFailed({ loop, index, machine, state }: At): void {
    if (loop === undefined) return;
    const { failedNode } = machine;
    const error = state.failure ?? (failedNode && errorIn(state, failedNode)) ?? UNKNOWN;
    noteFailure(this.#loopState(loop.frame, loop.node), index, error);
  }

  loopEnded({ frame, node, bounds }: Loop<FrameState>, kind: LoopEnd): void {
    const { results, failures, lastFailure } = this.#loopState(frame, node);
    frame.state.loops.delete(node.id);
    const [first] = failures;
    const ended =
      kind === "succeeded"
        ? { output: this.#loopBehaviour(node).output(results, failures) }
        : {
            error:
              kind === "exhausted"
                ? exhausted(node.id)
                : loopFailure(node.id, bounds.kind, results.length, first),
          };
    // The failure that was one too many: iterations that failed before it were tolerated.
    const step = lastFailure && this.#failedSteps.get(lastFailure);
    if ("error" in ended && step !== undefined) this.#failedSteps.set(ended.error, step);
    frame.state.variables.nodes[node.id] = ended;
    this.#endsTest(frame, node, { handle: "error" in ended ? "error" : "out", ...ended });
  }

  pause(loop: Loop<FrameState>, index: number): void {
    const { pause = 0 } = this.#loopBehaviour(loop.node);
    const name = pauseName(loop, index);
    this.#ctx.step.sleep(name, pause).then(
      () => this.#guarded(() => this.#execution.resume(loop)),
      (error: unknown) => this.#reject(error),
    );
  }

  endPause(loop: Loop<FrameState>, index: number): void {
    this.#ctx.step.abandon(pauseName(loop, index));
  }

  ended(end: MachineEnd): void {
    this.#stop();
    const { machine, state } = this.#execution.root;
    const { failedNode } = machine;
    const output = end === "completed" ? outputOf(state) : null;
    if (end === "completed" && this.#item !== undefined) {
      this.#resolveItem(this.#item, state, output);
    } else if (end === "completed") this.#resolve(output);
    else if (failedNode === undefined) this.#reject(new NodeFailed("", UNKNOWN));
    else this.#reject(this.#nodeFailed(failedNode, errorIn(state, failedNode) ?? UNKNOWN));
  }

  // ── Nodes ─────────────────────────────────────────────────────────────────────────────────────────────────

  #carryOut(frame: At, node: PlannedNode, behaviour: Behaviour): void {
    const { variables } = frame.state;
    switch (behaviour.kind) {
      case "pure":
        this.#settleBy(frame, node, () => behaviour.compute(variables));
        return;
      case "decision": {
        const answer = this.#decide(pathOf(frame, node), () => behaviour.decide(variables));
        if ("error" in answer) this.#fail(frame, node, answer.error);
        else this.#succeed(frame, node, answer.value.output, answer.value.handles);
        return;
      }
      case "loop":
        this.#openLoop(frame, node, behaviour);
        return;
      case "step":
        if (behaviour.isCall) {
          this.#calls.begin(pathOf(frame, node), () => this.#ask(frame, node, behaviour));
        } else this.#ask(frame, node, behaviour);
        return;
      default:
        behaviour satisfies never;
    }
  }

  #ask(frame: At, node: PlannedNode, behaviour: Extract<Behaviour, { kind: "step" }>): void {
    const path = pathOf(frame, node);
    const { loop, state } = frame;
    const { variables } = state;
    const place = { path, variables, services: this.#services };
    let asked;
    try {
      if (loop !== undefined && isItemRun(node.id) && loop.bounds.kind === "for_each") {
        const { values = {} } = this.#loopState(loop.frame, loop.node);
        this.#itemRuns.add(path);
        asked = behaviour.ask({ ...place, loop: { count: loop.bounds.count, values } });
      } else asked = behaviour.ask(place);
    } catch (error) {
      this.#requireBudget(error);
      // A wait whose bindings failed: there is no step that could journal it.
      const answer = this.#decide(path, () => {
        throw error;
      });
      this.#fail(frame, node, "error" in answer ? answer.error : failureOf(error));
      return;
    }
    asked.then(
      ({ handle, output }) =>
        this.#guarded(() => {
          this.#itemRuns.delete(path);
          this.#succeed(frame, node, output, [handle]);
          this.#calls.ended(path);
        }),
      (error: unknown) =>
        this.#guarded(() => {
          const failure = failureOf(error);
          this.#itemRuns.delete(path);
          this.#failedSteps.set(failure, path);
          this.#fail(frame, node, failure);
          this.#calls.ended(path);
        }),
    );
  }

  #openLoop(frame: At, node: PlannedNode, behaviour: LoopBehaviour): void {
    const { state } = frame;
    let items: readonly Json[] | undefined;
    let values: JsonObject | undefined;
    const read = (): void => void (values = this.#use(node).outerValues?.of(state.variables));
    const answer = this.#decide(pathOf(frame, node), () => {
      const opened = behaviour.open(state.variables);
      ({ items } = opened);
      if ("runs" in opened.bounds) {
        read();
        requireSmall(values ?? {}, node.id, opened.bounds.count);
      }
      return opened.bounds;
    });
    if ("error" in answer) {
      this.#fail(frame, node, answer.error);
      return;
    }
    if (items === undefined && answer.value.kind === "for_each") {
      // The bounds came from the journal.
      ({ items } = behaviour.open(state.variables));
      if ("runs" in answer.value) read();
    }
    const outer = { ...state.variables.nodes };
    const none = { results: [], failures: [], lastFailure: undefined };
    state.loops.set(node.id, { items, ...none, outer, values });
    this.#execution.openLoop(frame, node, answer.value);
  }

  #judgeRound(
    { loop, index }: At,
    judged: () => ReturnType<LoopBehaviour["judge"]>,
  ): ReturnType<LoopBehaviour["judge"]> {
    if (loop === undefined) return judged();
    const answer = this.#decide(`${roundName(loop, index)} until`, () => judged().verdict);
    if ("error" in answer) throw Object.assign(new Error(answer.error.message), answer.error);
    return { ...judged(), verdict: answer.value };
  }

  /** J5, with the answer journaled. Settles the node if the guard doesn't hold, or fails. */
  #holds(frame: At, node: PlannedNode, guard: NonNullable<Use["guard"]>): boolean {
    const name = `${pathOf(frame, node)} when`;
    const answer = this.#decide(name, () => guard(frame.state.variables));
    if ("error" in answer) this.#fail(frame, node, answer.error);
    else if (!answer.value) this.#execution.settle(frame, node, { kind: "skipped" });
    return "value" in answer && answer.value;
  }

  #decide<Value>(name: string, compute: () => Value): Answer<Value> {
    return decide(this.#ctx, name, (): Answer<Value> => {
      try {
        return { value: compute() };
      } catch (error) {
        this.#requireBudget(error);
        return { error: failureOf(error) };
      }
    });
  }

  /** I8. @throws the error of an evaluation that the budget has ended */
  #requireBudget(error: unknown): void {
    if (this.#budget.isSpent) throw error;
  }

  #settleBy(frame: At, node: PlannedNode, compute: () => Json): void {
    let output: Json;
    try {
      output = compute();
    } catch (error) {
      this.#requireBudget(error);
      this.#fail(frame, node, failureOf(error));
      return;
    }
    this.#succeed(frame, node, output, ["out"]);
  }

  #succeed(frame: At, node: PlannedNode, output: Json, handles: readonly string[]): void {
    if (frame.machine.statusOf(node) === "abandoned") return;
    const [handle = "out"] = handles;
    if (this.#endsTest(frame, node, { handle, output })) return;
    frame.state.variables.nodes[node.id] = { output };
    if (node.isEnd) frame.state.ends.set(node.id, output);
    this.#execution.settle(frame, node, { kind: "succeeded", handles });
  }

  #fail(frame: At, node: PlannedNode, error: NodeFailure): void {
    if (frame.machine.statusOf(node) === "abandoned") return;
    if (this.#endsTest(frame, node, { handle: "error", error })) return;
    frame.state.variables.nodes[node.id] = { error };
    this.#execution.settle(frame, node, { kind: "failed" });
  }

  /** Ends a test that goes no further than this node. */
  #endsTest(frame: At, node: PlannedNode, end: TestEnd): boolean {
    const { test } = this.#program;
    if (test === undefined || (test.until !== node.id && test.only !== node.id)) return false;
    this.#stop();
    if (test.only === node.id) {
      const { params = {} } = this.#program.document.nodes[node.id] ?? {};
      const input = inputOf(params, { ...frame.state.variables, now: new Date() });
      this.#resolve({ input, ...end, log: this.#lines ?? [] } as unknown as Json);
    } else if (end.error === undefined) this.#resolve(end.output ?? null);
    else this.#reject(this.#nodeFailed(node, end.error));
    return true;
  }

  #resolveItem(item: ItemRun, { variables }: FrameState, output: Json): void {
    try {
      this.#resolve(
        resultOf(item, this.#program.uses.get(item.loop)?.behaviour, variables, output),
      );
    } catch (error) {
      this.#reject(new NodeFailed(item.loop, failureOf(error)));
    }
  }

  /** I7 */
  #stop(): void {
    this.#calls.stop();
    for (const path of this.#itemRuns) this.#ctx.step.abandon(path);
    this.#itemRuns.clear();
  }

  #nodeFailed({ id }: PlannedNode, failure: NodeFailure): NodeFailed {
    const path = this.#failedSteps.get(failure);
    const step = path === undefined ? undefined : { runId: this.#ctx.runId, path };
    return new NodeFailed(id, failure, step);
  }

  /** A join that failed has the error of the node where the failure began. */
  #noteFailuresBefore(frame: At, use: Use, node: PlannedNode, mode: "run" | "fallback"): void {
    const { plan } = frame.machine;
    const failed = use.catches.flatMap((id) => plan.nodes[plan.places.get(id) ?? -1] ?? []);
    if (mode === "fallback") failed.push(node);
    for (const each of failed) {
      const origin = frame.machine.originOf(each);
      if (origin === each) continue;
      const error = errorIn(frame.state, origin);
      if (error !== undefined) frame.state.variables.nodes[each.id] ??= { error };
    }
  }

  // ── Parts ─────────────────────────────────────────────────────────────────────────────────────────────────

  #use(node: PlannedNode): Use {
    const use = this.#program.uses.get(node.id);
    if (use === undefined) throw new Error(`Node "${node.id}" is only in the plan.`);
    return use;
  }

  #loopBehaviour(node: PlannedNode): LoopBehaviour {
    const { behaviour } = this.#use(node);
    if (behaviour.kind !== "loop") throw new Error(`Node "${node.id}" is no loop.`);
    return behaviour;
  }

  #loopState(frame: At, node: PlannedNode): LoopState {
    const state = frame.state.loops.get(node.id);
    if (state === undefined) throw new Error(`Loop "${node.id}" is not open.`);
    return state;
  }

  /** An error of the interpreter itself, or a departure from the journal, fails the run. */
  #guarded(action: () => void): void {
    try {
      action();
    } catch (error) {
      this.#reject(error);
    }
  }
}

/** The end of the node that a test is about. */
interface TestEnd {
  readonly handle: string;
  readonly output?: Json;
  readonly error?: NodeFailure;
}

const pathOf = (frame: At, node: PlannedNode): string => pathAt(frame.state.prefix, node.id);

const roundName = ({ frame, node }: Loop<FrameState>, index: number): string =>
  `${pathOf(frame, node)}.${index}`;

const pauseName = (loop: Loop<FrameState>, index: number): string =>
  `${roundName(loop, index)} pause`;
