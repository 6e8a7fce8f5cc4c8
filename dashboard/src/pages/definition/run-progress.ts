/**
 * The progress of a run of a definition, as the editor shows it: read once, or followed by the events of the server.
 *
 * Promises:
 *   P1  What is followed ends with the state in which the run ended, whatever connections and reads fail on the way.
 *   P2  Values and conditions are those of the journal up to the last change that is shown, or later ones.
 */
import { type Document, itemPathIn, progressOf } from "@oxbow/declared/check";
import type { EdgeState, NodeState, RunProgress } from "@oxbow/editor";
import { readVersion } from "../../api/definitions.ts";
import { follow, inBatches, type ServerEvent, untilAnswered } from "../../api/events.ts";
import { readRun, readSteps, type Run, type Step } from "../../api/runs.ts";
import { errorText } from "../../format/error-text.ts";
import { poolOf, type TypesIn } from "./definition-catalog.ts";

/** Steps that are done by others, or by time. */
const WAITS = /^(?:approve|delay|run|wait)@/;
/** The path of an iteration, rather than of a node in one. */
const ITERATION = /\.\d+$/;
/** Events that come within this time are shown together. */
const BATCH_MS = 150;

type Status = "idle" | "ready" | "running" | "succeeded" | "failed" | "skipped" | "abandoned";
type Transient = "waiting" | "retrying" | "executing";

/** Payload of the events `changes`. */
interface Changes {
  readonly position: string;
  readonly version: number;
  readonly nodes: Readonly<Record<string, Status>>;
  readonly edges: readonly {
    readonly prefix: string;
    readonly index: number;
    readonly status: EdgeState;
  }[];
}

export class RunReader {
  readonly #name: string;
  readonly #typesIn: TypesIn;
  readonly #runId: string;

  /** @param name Of the definition. */
  constructor(name: string, typesIn: TypesIn, runId: string) {
    this.#name = name;
    this.#typesIn = typesIn;
    this.#runId = runId;
  }

  /** Computes the progress from the journal, by the document of the version or by the one that is tested. */
  async read(tested: Document | undefined): Promise<RunProgress> {
    const [run, steps] = await Promise.all([readRun(this.#runId), readSteps(this.#runId)]);
    const shown = await this.#begin(run, tested);
    shown.addSteps(steps);
    const item = run.isItem ? itemPathIn(shown.document, run.input) : undefined;
    const { nodes, edges } = progressOf(shown.document, steps as Parameters<typeof progressOf>[1], {
      hasHandles: shown.hasHandles,
      ...(item === undefined ? {} : { item }),
    });
    for (const [path, status] of nodes) shown.setNode(path, status);
    for (const [prefix, states] of edges) {
      for (const [index, status] of states) shown.setEdge(prefix, index, status);
    }
    return shown.progress(run);
  }

  /** Yields the progress until the run has ended. */
  async *follow(tested: Document | undefined, signal: AbortSignal): AsyncGenerator<RunProgress> {
    const leaving = new AbortController();
    const leave = (): void => leaving.abort(signal.reason);
    signal.addEventListener("abort", leave);
    if (signal.aborted) leave();
    try {
      yield* this.#follow(tested, leaving.signal);
    } finally {
      // The stream would stay open: its next events have been asked for.
      leave();
      signal.removeEventListener("abort", leave);
    }
  }

  async *#follow(tested: Document | undefined, signal: AbortSignal): AsyncGenerator<RunProgress> {
    const path = `./v1/runs/${this.#runId}/progress/events`;
    const current = (): Promise<Run> => untilAnswered(() => readRun(this.#runId, signal), signal);
    const begun = (of: Run): Promise<Shown> => untilAnswered(() => this.#begin(of, tested), signal);
    let run = await current();
    let shown = await begun(run);
    for await (const events of inBatches(follow(path, signal), BATCH_MS, signal)) {
      const reset = events.findLastIndex(({ name }) => name === "reset");
      if (reset >= 0) {
        run = await current();
        shown = await begun(run);
      }
      const fresh = events.slice(reset + 1);
      for (const event of fresh) shown.take(event);
      if (fresh.some(({ name }) => name === "changes")) {
        const { row } = shown;
        const steps = await untilAnswered(() => readSteps(this.#runId, signal, row), signal);
        shown.addSteps(steps);
      }
      if (fresh.some(({ name }) => name === "state" || name === "end")) run = await current();
      yield shown.progress(run);
    }
  }

  async #begin(run: Run, tested: Document | undefined): Promise<Shown> {
    const document = tested ?? ((await readVersion(this.#name, run.version)).document as Document);
    return new Shown(document, await this.#typesIn(poolOf(document)));
  }
}

/** What is known of a run. */
class Shown {
  readonly document: Document;
  /** Position of the last row of the journal whose values are known. */
  row = 0;
  readonly #withHandles: ReadonlySet<string>;
  readonly #nodes = new Map<string, Status>();
  readonly #edges = new Map<string, Record<number, EdgeState>>();
  readonly #values: Record<string, NonNullable<RunProgress["values"]>[string]> = {};
  readonly #guards: Record<string, boolean | "failed"> = {};
  #transient: Readonly<Record<string, Transient>> = {};

  constructor(document: Document, withHandles: ReadonlySet<string>) {
    this.document = document;
    this.#withHandles = withHandles;
  }

  readonly hasHandles = (type: string): boolean => this.#withHandles.has(type);

  take({ name, data }: ServerEvent): void {
    if (name === "state") {
      this.#transient = (data as { nodes: Record<string, Transient> }).nodes;
    }
    if (name !== "changes") return;
    const { nodes, edges } = data as Changes;
    for (const [path, status] of Object.entries(nodes)) this.setNode(path, status);
    for (const { prefix, index, status } of edges) this.setEdge(prefix, index, status);
  }

  setNode(path: string, status: Status): void {
    this.#nodes.set(path, status);
  }

  setEdge(prefix: string, index: number, status: EdgeState): void {
    const iteration = prefix.replace(/\.$/, "");
    const states = this.#edges.get(iteration) ?? {};
    this.#edges.set(iteration, states);
    states[index] = status;
  }

  addSteps(steps: readonly Step[]): void {
    for (const { position, name, kind, output, error, decisions = [] } of steps) {
      this.row = Math.max(this.row, position);
      if (kind !== "decision") {
        this.#values[name] = this.hasHandles(this.#typeAt(name))
          ? withHandle(output, error)
          : { output, error };
      }
      for (const decision of decisions) this.#noteGuard(decision);
    }
  }

  progress(run: Run): RunProgress {
    const { "": outside = {}, ...loopEdges } = Object.fromEntries(this.#edges);
    return {
      status: run.status,
      ...(run.hasInput ? { input: run.input } : {}),
      ...(run.hasOutput ? { output: run.output } : {}),
      ...(run.error === null ? {} : { error: errorText(run.error) }),
      document: this.document,
      nodes: Object.fromEntries(
        [...this.#nodes].map(([path, status]) => [path, this.#stateOf(path, status)]),
      ),
      edges: outside,
      loopEdges,
      values: { ...this.#values },
      guards: { ...this.#guards },
    };
  }

  #stateOf(path: string, status: Status): NodeState {
    if (status !== "ready" && status !== "running") return status;
    // An iteration that is a run: only that run shows whether it waits.
    if (ITERATION.test(path)) return "running";
    const transient = this.#transient[path];
    if (transient !== undefined) return transient === "executing" ? "running" : transient;
    return status === "ready" || WAITS.test(this.#typeAt(path)) ? "waiting" : "running";
  }

  #noteGuard({ name, output }: { readonly name: string; readonly output?: unknown }): void {
    const [, path] = /^(.*) when$/s.exec(name) ?? [];
    if (path === undefined) return;
    const { value } = (output ?? {}) as { readonly value?: unknown };
    this.#guards[path] = typeof value === "boolean" ? value : "failed";
  }

  #typeAt(path: string): string {
    return this.document.nodes[path.split(".").at(-1) ?? path]?.type ?? "";
  }
}

/** Takes apart what a node with several ways has journaled. Stand-ins in tests name their way themselves. */
function withHandle(output: unknown, error: unknown) {
  if (typeof output !== "object" || output === null || !("handle" in output) || "$test" in output) {
    return { output, error };
  }
  const { handle } = output;
  return {
    output: "output" in output ? output.output : undefined,
    error,
    ...(typeof handle === "string" ? { handle } : {}),
  };
}
