/**
 * The execution of a graph with its loops: a tree of frames, each with a machine. Like the machine it is pure and knows
 * no time: the host begins nodes and reports their outcomes, immediately or later, in any order that it can repeat.
 *
 *   L1  Each iteration has its own frame, and ends like a run (J7, J9).
 *   L2  `for_each` begins iterations in the order of items, as many at a time as its concurrency allows. It succeeds when
 *       all have ended, and fails as soon as more of them failed than it tolerates.
 *   L3  `repeat` begins one iteration after another, until the host judges one to be the last. It fails if an iteration
 *       fails, or if the host has judged no iteration to be the last when it may begin no other.
 *   L4  An iteration that failed, or whose loop failed, begins nothing more. The host decides whether its nodes under way
 *       finish or are abandoned, so that no effect is left without its record. The loop gets its outcome when all its
 *       frames are quiet.
 *   L5  An abandoned loop immediately abandons everything in it.
 *   L6  Once the graph has ended, outcomes are kept as statuses, and nothing begins anywhere.
 *   L7  All iterations that begin have at most 500,000 nodes together. A loop that would begin another one fails. Nodes
 *       without effects leave no row, so that the limit of the journal doesn't end them.
 *
 * Outcomes that the host reports while it is being called wait in a queue, so that nodes without effects neither nest nor
 * overtake others. A host that doesn't know yet what a node does holds the queue at that place: what comes later may
 * depend on it.
 */
import { EffectQueue, HELD } from "./effect-queue.ts";
import {
  type EdgeStatus,
  Machine,
  type MachineEnd,
  type MachineObserver,
  type NodeOutcome,
  type NodeStatus,
  type Reaction,
} from "./machine.ts";
import type { Plan, PlannedNode } from "./plan.ts";

/** One level of an execution: the graph, or an iteration of a loop. */
export interface Frame<State> {
  readonly machine: Machine;
  /** The loop that it iterates; undefined for the graph itself. */
  readonly loop: Loop<State> | undefined;
  /** Number of the iteration, from 0. */
  readonly index: number;
  readonly state: State;
}

/** A loop that has begun. */
export interface Loop<State> {
  readonly frame: Frame<State>;
  readonly node: PlannedNode;
  readonly bounds: LoopBounds;
}

export type LoopBounds =
  | {
      readonly kind: "for_each";
      readonly count: number;
      readonly concurrency: number;
      /** How many iterations may fail. */
      readonly tolerated: number;
      /** Each iteration is a child run, and here a single node. */
      readonly runs?: true;
    }
  | {
      readonly kind: "repeat";
      readonly max: number;
      /** The host is asked to pause before each iteration but the first. */
      readonly pauses: boolean;
    };

/** How the host judges an iteration that completed: it may fail it, or end a `repeat` with it. */
export type Verdict = "succeeded" | "failed" | "last";

export type LoopEnd = "succeeded" | "failed" | "exhausted";

/** L7. */
const MOST_NODES = 500_000;

export interface Host<State> {
  /** Makes the state of an iteration that begins. */
  readonly stateOf: (loop: Loop<State>, index: number) => State;
  /** Begins a node. Call `settle` for it, now or later; for a loop, call `openLoop` or `settle` now. */
  readonly begin: (frame: Frame<State>, node: PlannedNode, mode: "run" | "fallback") => void;
  /** A node under way is no longer needed. Its outcome would be ignored. */
  readonly abandon: (frame: Frame<State>, node: PlannedNode) => void;
  /** The level of a node under way failed. Returns true if the node finishes, and false if the host has abandoned it. */
  readonly finishes: (frame: Frame<State>, node: PlannedNode) => boolean;
  /**
   * Judges an iteration that completed. Returns undefined if the host does not know yet; it is asked again when it
   * calls `proceed`.
   */
  readonly judge: (frame: Frame<State>) => Verdict | undefined;
  /** An iteration failed by the node `frame.machine.failedNode`, or by the verdict. */
  readonly iterationFailed?: (frame: Frame<State>) => void;
  /** A loop is about to get its outcome. `exhausted`: it fails by L7. */
  readonly loopEnded?: (loop: Loop<State>, kind: LoopEnd) => void;
  /** Pauses before an iteration; call `resume` later. */
  readonly pause: (loop: Loop<State>, index: number) => void;
  /** A pause is no longer needed. */
  readonly endPause: (loop: Loop<State>, index: number) => void;
  readonly ended?: (end: MachineEnd) => void;
  /** For hosts that follow statuses. */
  readonly nodeChanged?: (frame: Frame<State>, node: PlannedNode, status: NodeStatus) => void;
  readonly edgeChanged?: (frame: Frame<State>, edge: number, status: EdgeStatus) => void;
}

interface OpenFrame<State> extends Frame<State> {
  /** Nodes that finish after the end of the machine (L4). */
  finishing: number;
  /** The end of its machine was carried out. */
  isOver: boolean;
}

interface OpenLoop<State> extends Loop<State> {
  readonly frames: Set<OpenFrame<State>>;
  next: number;
  failures: number;
  isPaused: boolean;
  /** Begins no more iterations. */
  outcome: LoopEnd | undefined;
}

export class Execution<State> {
  readonly #host: Host<State>;
  readonly #root: OpenFrame<State>;
  readonly #loops = new Map<OpenFrame<State>, Map<PlannedNode, OpenLoop<State>>>();
  readonly #effects = new EffectQueue();
  /** Nodes of all iterations that have begun. */
  #nodes = 0;

  constructor(plan: Plan, state: State, host: Host<State>) {
    this.#host = host;
    this.#root = this.#frameOf(plan, undefined, 0, state);
  }

  get root(): Frame<State> {
    return this.#root;
  }

  begin(): void {
    this.#effects.add(() => this.#apply(this.#root, this.#root.machine.begin()));
  }

  /** Reports the outcome of a node that has begun. */
  settle(frame: Frame<State>, node: PlannedNode, outcome: NodeOutcome): void {
    this.#effects.add(() => this.#settle(frame as OpenFrame<State>, node, outcome));
  }

  /** Begins the iterations of a loop that has begun. */
  openLoop(frame: Frame<State>, node: PlannedNode, bounds: LoopBounds): void {
    this.#effects.add(() => {
      const parent = frame as OpenFrame<State>;
      if (parent.machine.statusOf(node) !== "running") return;
      const loop: OpenLoop<State> = {
        frame,
        node,
        bounds,
        frames: new Set(),
        next: 0,
        failures: 0,
        isPaused: false,
        outcome: undefined,
      };
      const loops = this.#loops.get(parent);
      if (loops === undefined) this.#loops.set(parent, new Map([[node, loop]]));
      else loops.set(node, loop);
      if (parent.machine.end !== undefined) loop.outcome = "failed";
      this.#continue(loop);
    });
  }

  /** The pause of a loop is over. */
  resume(loop: Loop<State>): void {
    this.#effects.add(() => {
      const open = loop as OpenLoop<State>;
      if (!open.isPaused || this.#root.isOver) return;
      open.isPaused = false;
      if (!this.#beginIteration(open)) this.#continue(open);
    });
  }

  /**
   * Calls the host at this place in the order of effects, where it settles a node or opens a loop.
   *
   * @param decide Returns false as long as the host does not know what to do: nothing that comes later happens until it calls
   *   `proceed`, and does.
   */
  defer(decide: () => boolean): void {
    this.#effects.defer(decide);
  }

  /** The host knows more than before. */
  proceed(): void {
    this.#effects.proceed();
  }

  /** Whether the execution waits for what the host does not know. */
  get isHeld(): boolean {
    return this.#effects.isHeld;
  }

  #settle(frame: OpenFrame<State>, node: PlannedNode, outcome: NodeOutcome): void {
    const { machine } = frame;
    if (this.#root.isOver) {
      machine.stop();
      machine.take(node, outcome);
      return;
    }
    const isFinishing = machine.end !== undefined && machine.statusOf(node) === "running";
    const reaction = machine.take(node, outcome);
    if (isFinishing) {
      frame.finishing -= 1;
      this.#closeIfQuiet(frame);
    } else this.#apply(frame, reaction);
  }

  #apply(frame: OpenFrame<State>, { begin, abandoned }: Reaction): void {
    for (const node of abandoned) this.#abandon(frame, node);
    for (const { node, mode } of begin) this.#host.begin(frame, node, mode);
    const { end } = frame.machine;
    if (end !== undefined && !frame.isOver) this.#endFrame(frame, end);
  }

  #endFrame(frame: OpenFrame<State>, end: MachineEnd): void {
    const loop = frame.loop as OpenLoop<State> | undefined;
    frame.isOver = true;
    if (loop === undefined) {
      this.#host.ended?.(end);
      return;
    }
    if (end === "completed") this.#judge(frame, loop);
    else this.#conclude(frame, loop, "failed");
  }

  /** The last thing that happens in an effect, so that the next one can repeat it. */
  #judge(frame: OpenFrame<State>, loop: OpenLoop<State>): void {
    const judge = (): typeof HELD | undefined => {
      const verdict = this.#host.judge(frame);
      if (verdict === undefined) return HELD;
      this.#conclude(frame, loop, verdict);
      return undefined;
    };
    if (judge() === HELD) this.#effects.continueWith(judge);
  }

  #conclude(frame: OpenFrame<State>, loop: OpenLoop<State>, verdict: Verdict): void {
    this.#quieten(frame);
    if (verdict === "failed") {
      this.#host.iterationFailed?.(frame);
      this.#noteFailure(loop);
    } else if (verdict === "last") loop.outcome ??= "succeeded";
    this.#closeIfQuiet(frame);
  }

  /** L2 and L3. */
  #noteFailure(loop: OpenLoop<State>): void {
    loop.failures += 1;
    const tolerated = loop.bounds.kind === "for_each" ? loop.bounds.tolerated : 0;
    if (loop.failures > tolerated) this.#stopLoop(loop);
  }

  /** L4: what is under way finishes, or is abandoned. */
  #quieten(frame: OpenFrame<State>): void {
    for (const node of frame.machine.running) {
      const loop = this.#loops.get(frame)?.get(node);
      if (node.body !== undefined) {
        // One that is not open yet, or no longer, has its outcome in the queue.
        frame.finishing += 1;
        if (loop !== undefined) this.#effects.add(() => this.#stopLoop(loop));
      } else if (this.#host.finishes(frame, node)) frame.finishing += 1;
      else frame.machine.drop(node);
    }
  }

  #stopLoop(loop: OpenLoop<State>): void {
    loop.outcome ??= "failed";
    if (loop.isPaused) {
      loop.isPaused = false;
      this.#host.endPause(loop, loop.next);
    }
    for (const frame of loop.frames) {
      if (frame.machine.end !== undefined) continue;
      frame.machine.stop();
      frame.isOver = true;
      this.#quieten(frame);
      this.#closeIfQuiet(frame);
    }
    this.#continue(loop);
  }

  #closeIfQuiet(frame: OpenFrame<State>): void {
    const loop = frame.loop as OpenLoop<State> | undefined;
    if (loop === undefined || frame.finishing > 0 || !loop.frames.delete(frame)) return;
    this.#loops.delete(frame);
    this.#effects.add(() => this.#continue(loop));
  }

  /** Begins iterations, or ends the loop. */
  #continue(loop: OpenLoop<State>): void {
    const { bounds, frames } = loop;
    if (!this.#isOpen(loop) || loop.isPaused || this.#root.isOver) return;
    if (loop.outcome === undefined && bounds.kind === "for_each") {
      while (loop.next < bounds.count && frames.size < bounds.concurrency) {
        if (!this.#beginIteration(loop)) break;
      }
      if (frames.size === 0) loop.outcome ??= "succeeded";
    } else if (loop.outcome === undefined && frames.size === 0) {
      if (bounds.kind === "repeat" && loop.next < bounds.max) this.#repeat(loop, bounds.pauses);
      else loop.outcome = "failed";
    }
    if (loop.outcome !== undefined && frames.size === 0) this.#endLoop(loop, loop.outcome);
  }

  #repeat(loop: OpenLoop<State>, pauses: boolean): void {
    if (!pauses || loop.next === 0) this.#beginIteration(loop);
    else {
      loop.isPaused = true;
      this.#host.pause(loop, loop.next);
    }
  }

  /** Returns false if L7 fails the loop. */
  #beginIteration(loop: OpenLoop<State>): boolean {
    const { body: inside, itemRun } = loop.node;
    const body = "runs" in loop.bounds ? itemRun : inside;
    if (body === undefined) throw new Error(`Node "${loop.node.id}" is no loop.`);
    this.#nodes += body.nodes.length;
    if (this.#nodes > MOST_NODES) {
      loop.outcome = "exhausted";
      return false;
    }
    const index = loop.next;
    loop.next += 1;
    const frame = this.#frameOf(body, loop, index, this.#host.stateOf(loop, index));
    const { machine } = frame;
    loop.frames.add(frame);
    this.#effects.add(() => {
      if (machine.end === undefined && loop.frames.has(frame) && !this.#root.isOver) {
        this.#apply(frame, machine.begin());
      }
    });
    return true;
  }

  #frameOf(
    plan: Plan,
    loop: Loop<State> | undefined,
    index: number,
    state: State,
  ): OpenFrame<State> {
    const { nodeChanged, edgeChanged } = this.#host;
    const observer: MachineObserver | undefined = nodeChanged &&
      edgeChanged && {
        nodeChanged: (node, status) => nodeChanged.call(this.#host, frame, node, status),
        edgeChanged: (edge, status) => edgeChanged.call(this.#host, frame, edge, status),
      };
    const machine = new Machine(plan, observer);
    const frame: OpenFrame<State> = { machine, loop, index, state, finishing: 0, isOver: false };
    return frame;
  }

  #endLoop(loop: OpenLoop<State>, kind: LoopEnd): void {
    const parent = loop.frame as OpenFrame<State>;
    this.#loops.get(parent)?.delete(loop.node);
    this.#host.loopEnded?.(loop, kind);
    this.settle(
      parent,
      loop.node,
      kind === "succeeded" ? { kind, handles: ["out"] } : { kind: "failed" },
    );
  }

  /** L5. */
  #abandon(frame: OpenFrame<State>, node: PlannedNode): void {
    const loop = this.#loops.get(frame)?.get(node);
    if (loop === undefined) {
      if (node.body === undefined) this.#host.abandon(frame, node);
      return;
    }
    this.#loops.get(frame)?.delete(node);
    if (loop.isPaused) this.#host.endPause(loop, loop.next);
    for (const inner of loop.frames) {
      for (const each of inner.machine.running) {
        this.#abandon(inner, each);
        inner.machine.drop(each);
      }
      inner.machine.stop();
      this.#loops.delete(inner);
    }
    loop.frames.clear();
  }

  #isOpen(loop: OpenLoop<State>): boolean {
    return this.#loops.get(loop.frame as OpenFrame<State>)?.get(loop.node) === loop;
  }
}
