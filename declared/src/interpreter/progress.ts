/**
 * The progress of a run: a fold of its document and its journal by the machine that executes it. It evaluates no
 * expression, since what expressions decided is journaled, so a server without the run's node types can show it, for
 * ended runs as for those in flight.
 *
 * Gives up: a `set`, an `end` or a `collect` whose expression failed leaves no row, and is shown as succeeded.
 */
import type { Document } from "../document/document.ts";
import { isObject, present } from "../document/json.ts";
import type { EdgeStatus, MachineEnd, NodeStatus } from "../graph/machine.ts";
import type {
  DefinitionProgressChanges,
  DefinitionProgressFold,
} from "../protocol/definition-progress.ts";
import { idOf, JournalFold, type ProgressOptions } from "./journal-fold.ts";
import { ABANDONED, type ProgressRow } from "./journaled-outcome.ts";
import { testedCallIn } from "./test-plan.ts";

/** The states of a run's nodes and edges. */
export interface Progress {
  /** Nodes by path: `tell`, or `pack.17.reserve`. Iterations that have not begun are absent. */
  readonly nodes: ReadonlyMap<string, NodeStatus>;
  /** Edges by the prefix of their path in a loop, `pack.17.` (outside of loops ""), and their index in the document. */
  readonly edges: ReadonlyMap<string, ReadonlyMap<number, EdgeStatus>>;
  /** Undefined while the graph is open. */
  readonly end: MachineEnd | undefined;
}

/** Computes the progress of a run from the rows of its journal, in their order. */
export function progressOf(
  document: Document,
  rows: readonly ProgressRow[],
  options: ProgressOptions = {},
): Progress {
  const steps = new Set(rows.flatMap((row) => pinnedNodeIn(document, row) ?? []));
  return foldOf(document, rows, options, steps).progress();
}

/**
 * The progress of a run whose journal grows. The changes of a row depend only on the rows up to that one, so that a
 * reader who has seen some of them continues from there. A row costs what it changes.
 */
export class ProgressFold implements DefinitionProgressFold {
  readonly #document: Document;
  readonly #options: ProgressOptions;
  /** Without values that no handle depends on. */
  readonly #rows: ProgressRow[] = [];
  /** Ids of nodes that a test pins. */
  readonly #pinned = new Set<string>();
  #fold: JournalFold;
  #end: MachineEnd | undefined;

  constructor(document: Document, options: ProgressOptions = {}) {
    this.#document = document;
    this.#options = options;
    this.#fold = new JournalFold(document, options, this.#pinned);
  }

  /** Begins the graph. Returns its first states, as changes. */
  begin(): DefinitionProgressChanges {
    this.#fold.start();
    return this.#changes();
  }

  /** Takes the next row of the journal. */
  add(given: ProgressRow): DefinitionProgressChanges {
    const row = withoutValues(this.#document, given);
    this.#rows.push(row);
    const pinned = pinnedNodeIn(this.#document, row);
    if (pinned === undefined || this.#pinned.has(pinned)) this.#fold.add(row);
    else this.#repeat(pinned);
    return this.#changes();
  }

  /** The states of all nodes and edges, by the rows so far. */
  states(): Pick<DefinitionProgressChanges, "nodes" | "edges"> {
    const { nodes, edges } = this.#fold.progress();
    return {
      nodes: Object.fromEntries(nodes),
      edges: [...edges].flatMap(([prefix, own]) =>
        [...own].map(([index, status]) => ({ prefix, index, status })),
      ),
    };
  }

  /** Begins again with a node that computes nothing in this run: once for each that a test pins. */
  #repeat(pinned: string): void {
    this.#pinned.add(pinned);
    const before = this.#fold;
    this.#fold = foldOf(this.#document, this.#rows, this.#options, this.#pinned);
    this.#fold.replace(before);
  }

  #changes(): DefinitionProgressChanges {
    const { end } = this.#fold;
    const hasEnded = end !== undefined && end !== this.#end;
    this.#end = end;
    return { ...this.#fold.changes(), ...(hasEnded ? { end } : {}) };
  }
}

function foldOf(
  document: Document,
  rows: readonly ProgressRow[],
  options: ProgressOptions,
  pinned: ReadonlySet<string>,
): JournalFold {
  const fold = new JournalFold(document, options, pinned);
  fold.start();
  for (const row of rows) fold.add(row);
  return fold;
}

/**
 * The id of a node that leaves no outcome in the journal, unless a test pins it, and left one. A pin is for all
 * iterations of a loop.
 */
function pinnedNodeIn(
  document: Document,
  { name, output, error }: ProgressRow,
): string | undefined {
  const isStep =
    testedCallIn(output) !== undefined || (error !== undefined && error.code !== ABANDONED);
  const id = idOf(name);
  const { type = "" } = document.nodes[id] ?? {};
  return isStep && /^(?:set|end|branch|for_each|repeat)@/.test(type) ? id : undefined;
}

/** The row with no more of its output than the handle. */
function withoutValues(document: Document, row: ProgressRow): ProgressRow {
  const { name, kind, output, error, attempts, decisions } = row;
  const tested = testedCallIn(output);
  const kept = tested !== undefined ? { ...tested, input: null, output: null } : undefined;
  const own =
    document.nodes[idOf(name)] !== undefined && isObject(output)
      ? { handle: output["handle"], decision: output["decision"] }
      : undefined;
  const failure = error && present({ code: error.code });
  return { name, attempts, ...present({ output: kept ?? own, kind, error: failure, decisions }) };
}
