/** The progress of a run of a definition at one moment. */
import { type TimedJournalEntry } from "@oxbow/sdk";
import { DefinitionNotFound, runNotFound, type RunRecord } from "@oxbow/sdk/internal/rooms";
import { catalogFor } from "../protocol/catalog.ts";
import type {
  DefinitionProgress,
  DefinitionProgressEvent,
  DefinitionProgressFold,
} from "../protocol/definition-progress.ts";
import type { DefinitionTools } from "../protocol/definition-tools.ts";
import type { DeclaredCalls } from "../transport/declared.ts";
import { isInJournal, positionAt, type ProgressPosition, toText } from "./progress-position.ts";

export const ROWS_A_READ = 500;

/** What a run does now, which its journal doesn't have. */
type StateNow = Extract<DefinitionProgressEvent, { readonly type: "state" }>;

/** Statuses of nodes that have ended. If the run was read at such a node, the end was journaled later. */
const ENDS: ReadonlySet<string> = new Set(["succeeded", "failed", "skipped", "abandoned"]);

/** Where the progress of runs is read. */
interface ProgressReading {
  readonly calls: DeclaredCalls;
  readonly tools: DefinitionTools;
  /** Default: rows are not encoded. */
  readonly decode?: (row: TimedJournalEntry) => TimedJournalEntry;
}

/** Reads the run once, then its journal. @throws RunNotFound, DefinitionNotFound; the signal's reason */
export async function progressNow(
  reading: ProgressReading,
  runId: string,
  signal: AbortSignal,
): Promise<DefinitionProgress> {
  for (;;) {
    signal.throwIfAborted();
    const found = await readProgress(reading, runId, signal);
    if (found !== undefined) return found;
  }
}

/** Returns undefined if a retry has taken back rows while pages of the journal were read. */
async function readProgress(
  { calls, tools, decode = (row) => row }: ProgressReading,
  runId: string,
  signal: AbortSignal,
): Promise<DefinitionProgress | undefined> {
  // Reads the run before its journal: the journal of an ended run is complete.
  const run = await calls.runs.get(runId);
  if (run === undefined) throw runNotFound(runId);
  const { version } = run;
  const { fold, isNode } = await foldOf(calls, tools, run);
  fold.begin();
  let at: ProgressPosition = { version, row: 0, mark: undefined };
  for (;;) {
    signal.throwIfAborted();
    const rows = await calls.runs.getJournal(runId, at.row, ROWS_A_READ);
    for (const row of rows) fold.add(decode(row));
    const before = at;
    const last = rows.at(-1);
    if (last !== undefined) at = positionAt(version, last);
    if (rows.length === ROWS_A_READ) continue;
    if (!(await isInJournal(calls.runs, runId, before))) return undefined;
    const { status, activity, nodes: now } = stateOf(run);
    const { nodes, edges } = fold.states();
    const all: Record<string, DefinitionProgress["nodes"][string]> = { ...nodes };
    for (const [path, doing] of Object.entries(now)) {
      if (isNode(path) && !ENDS.has(nodes[path] ?? "")) all[path] = doing;
    }
    return { position: toText(at), version, status, activity, nodes: all, edges };
  }
}

/** Returns the fold for the journal of a run, and whether a path is that of a node, rather than of a pause. */
export async function foldOf(
  calls: DeclaredCalls,
  tools: DefinitionTools,
  { runId, name, version, isItem, input }: RunRecord,
): Promise<{
  readonly fold: DefinitionProgressFold;
  readonly isNode: (path: string) => boolean;
}> {
  const found = await calls.definitions.document(name, version);
  if (found === undefined) {
    throw new DefinitionNotFound(
      `Run ${runId} of "${name}" has no document: it is a workflow in code, or its version was deleted.`,
    );
  }
  const { document } = found;
  const ids = new Set(Object.keys(document["nodes"] ?? {}));
  return {
    fold: tools.progress(document, await catalogFor(calls, document), isItem ? input : undefined),
    isNode: (path) => ids.has(path.slice(path.lastIndexOf(".") + 1)),
  };
}

export function stateOf({ status, activity, waits, retries, inProgress }: RunRecord): StateNow {
  const nodes: Record<string, StateNow["nodes"][string]> = {};
  const note = (steps: unknown, kind: StateNow["nodes"][string]): void => {
    for (const { step } of Array.isArray(steps) ? (steps as readonly { step: string }[]) : []) {
      nodes[step] = kind;
    }
  };
  note(waits, "waiting");
  note(retries, "retrying");
  note(inProgress, "executing");
  return { type: "state", status, activity, nodes };
}
