/**
 * The progress of a run of a definition, as events: which nodes and edges each row of its journal changed.
 *
 * Promises:
 *   F1  A reader that continues after the position of an event gets every change that followed it, exactly once. If a
 *       retry has taken back what it has, or the run has moved to another version, it begins again, after a reset.
 *   F2  The changes depend only on the journal, so that they are the same from any process at any time.
 *   F3  After the changes that are journaled, a reader gets the state of the run: what waits, is retried, or executes.
 */
import { Watch, type Pace, type RunRecord, runNotFound } from "@oxbow/sdk/internal/rooms";
import type { DeclaredCalls } from "../transport/declared.ts";
import type {
  DefinitionProgressEvent,
  DefinitionProgressFold,
} from "../protocol/definition-progress.ts";
import type { DefinitionTools } from "../protocol/definition-tools.ts";
import type { TimedJournalEntry } from "@oxbow/sdk";
import { foldOf, ROWS_A_READ, stateOf } from "./definition-states.ts";
import {
  isInJournal,
  positionAt,
  type ProgressPosition,
  toPosition,
  toText,
} from "./progress-position.ts";

const PACE: Pace = { firstMs: 100, growth: 1.5, longestMs: 1_000 };

/** Yields the events of a run up to its end. @throws RunNotFound, DefinitionNotFound; the signal's reason */
export async function* followProgress(
  calls: DeclaredCalls,
  tools: DefinitionTools,
  runId: string,
  after: string | undefined,
  signal: AbortSignal,
  decode: (row: TimedJournalEntry) => TimedJournalEntry = (row) => row,
): AsyncGenerator<DefinitionProgressEvent, void> {
  let known = after === undefined ? undefined : toPosition(after);
  let fold: DefinitionProgressFold | undefined;
  let at: ProgressPosition | undefined;
  let told = "";
  const watch = new Watch({ pace: PACE, signal });
  for (;;) {
    signal.throwIfAborted();
    // Reads the run before its journal: the journal of an ended run is complete.
    const run: RunRecord | undefined = await calls.runs.get(runId);
    if (run === undefined) throw runNotFound(runId);
    const { version } = run;
    // The position of the reader; until the fold has come that far, the one that it gave.
    const had = known !== undefined && (at?.row ?? 0) <= known.row ? known : at;
    const rows = await calls.runs.getJournal(runId, at?.row ?? 0, ROWS_A_READ);
    const state = stateOf(run);
    const text = JSON.stringify(state);
    const isNew = fold === undefined || rows.length > 0 || text !== told;
    // Asked after the rows were read: they are of the journal that has the row.
    const isVoid =
      had !== undefined &&
      (had.version !== version || (isNew && !(await isInJournal(calls.runs, runId, had))));
    if (isVoid) {
      [known, fold, at, told] = [undefined, undefined, undefined, ""];
      yield { type: "reset", version };
      continue;
    }
    if (fold === undefined || at === undefined) {
      ({ fold } = await foldOf(calls, tools, run));
      at = { version, row: 0, mark: undefined };
      const changes = fold.begin();
      if (known === undefined) yield { type: "changes", position: toText(at), version, ...changes };
    }
    for (const row of rows) {
      at = positionAt(version, row);
      const changes = fold.add(decode(row));
      const isNews =
        Object.keys(changes.nodes).length + changes.edges.length > 0 || changes.end !== undefined;
      if (isNews && (known === undefined || row.position > known.row)) {
        yield { type: "changes", position: toText(at), version, ...changes };
      }
    }
    if (rows.length === ROWS_A_READ) continue;
    if (text !== told) {
      told = text;
      yield state;
    } else if (rows.length > 0) watch.restart();
    if (run.status !== "running") {
      yield { type: "end", status: run.status };
      return;
    }
    await watch.rest();
  }
}
