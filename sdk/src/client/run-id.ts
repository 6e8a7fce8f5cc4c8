import { InvalidArgument } from "../core/errors.ts";

const MAX_RUN_ID = 9_223_372_036_854_775_807n;

/** @throws InvalidArgument if it can't be a run id. */
export function checkRunId(runId: unknown): string {
  if (typeof runId === "string" && /^\d{1,19}$/.test(runId) && BigInt(runId) <= MAX_RUN_ID)
    return runId;
  const shown = typeof runId === "string" ? `"${runId.slice(0, 40)}"` : String(runId);
  throw new InvalidArgument(
    `Invalid run id ${shown}: a run id is digits in a string, as start() returns it.`,
  );
}

/** @throws InvalidArgument if it can't be the cursor of a page. */
export function checkCursor(cursor: unknown): string {
  if (typeof cursor === "string" && /^\d{1,18}(-\d{1,18})?$/.test(cursor)) return cursor;
  const shown = typeof cursor === "string" ? `"${cursor.slice(0, 40)}"` : String(cursor);
  throw new InvalidArgument(`Invalid cursor ${shown}: give the cursor of an earlier page.`);
}
