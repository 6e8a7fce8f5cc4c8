/**
 * Positions in the progress of a run, as text: `3-17-9f86d081`. The last part is a mark of the journal row. A retry of the
 * run takes rows of the journal back, and later rows get their numbers, but not their marks.
 */
import { createHash } from "node:crypto";
import { InvalidArgument, type TimedJournalEntry } from "@oxbow/sdk";
import type { RunTransport } from "@oxbow/sdk/internal/rooms";

/** Where a reader is. */
export interface ProgressPosition {
  /** The version of its document. */
  readonly version: number;
  /** The last row of the journal that it has; 0 for the beginning. */
  readonly row: number;
  /** The mark of that row; undefined for the beginning, and in positions of releases before marks. */
  readonly mark: string | undefined;
}

export function positionAt(version: number, row: TimedJournalEntry): ProgressPosition {
  return { version, row: row.position, mark: markOf(row) };
}

export const toText = ({ version, row, mark }: ProgressPosition): string =>
  mark === undefined ? `${version}-${row}` : `${version}-${row}-${mark}`;

/** @throws InvalidArgument */
export function toPosition(text: string): ProgressPosition {
  const [, version, row, mark] = /^(\d{1,10})-(\d{1,9})(?:-([0-9a-f]{8}))?$/.exec(text) ?? [];
  if (version === undefined || row === undefined) {
    throw new InvalidArgument(
      `Invalid position "${text}" of the progress of a run: give the one of its last event.`,
    );
  }
  return { version: Number(version), row: Number(row), mark };
}

/** Whether the journal still has the row, so that what follows it is all that the reader misses. */
export async function isInJournal(
  runs: Pick<RunTransport, "getJournal">,
  runId: string,
  { row, mark }: ProgressPosition,
): Promise<boolean> {
  if (row === 0) return true;
  const [found] = await runs.getJournal(runId, row - 1, 1);
  return found?.position === row && markOf(found) === mark;
}

/** Names occur once in a journal; the time tells apart what a retry repeated. */
function markOf({ name, completedAt }: TimedJournalEntry): string {
  return createHash("sha256")
    .update(`${completedAt.getTime()} ${name}`, "utf8")
    .digest("hex")
    .slice(0, 8);
}
