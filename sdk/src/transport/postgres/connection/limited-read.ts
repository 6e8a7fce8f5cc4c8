import {
  type LimitedRows,
  mayChangeSession,
  type RowLimits,
} from "../../../protocol/transaction.ts";
import { LimitedCursor } from "./limited-cursor.ts";

/** A connection of `pg`. */
export interface CursorClient {
  query(submittable: LimitedCursor): LimitedCursor;
}

interface Batch {
  readonly rows: Record<string, unknown>[];
  readonly count: number | null;
  readonly command: string | undefined;
}

/** Rows may be of any size, so the first batch is small. */
const FIRST_BATCH = 10;
/** A batch that exceeds the limit so many times costs the connection. */
const EXCESS = 4;

/**
 * Executes one statement, and reads at most a number of its rows. COPY is an error, which costs the connection. A text of
 * several statements is an error, also one without values: it goes by the extended protocol.
 */
export async function readAtMost(
  client: CursorClient,
  text: string,
  values: readonly unknown[],
  { maxRows, maxBytes }: RowLimits,
): Promise<LimitedRows> {
  const cursor = client.query(new LimitedCursor(text, values, EXCESS * maxBytes));
  const rows: Record<string, unknown>[] = [];
  for (let size = FIRST_BATCH; ; size *= 2) {
    const wanted = Math.min(size, maxRows + 1 - rows.length);
    const batch = await readBatch(cursor, wanted);
    rows.push(...batch.rows);
    const isOver = rows.length > maxRows || cursor.bytes > maxBytes;
    if (!isOver && batch.rows.length === wanted) continue;
    await cursor.finish();
    // The driver counts the rows of the last batch.
    const count = rows.length > 0 ? rows.length : (batch.count ?? 0);
    const changesSession = mayChangeSession(text, batch.command);
    return isOver
      ? { rows: [], count: undefined, changesSession }
      : { rows, count, changesSession };
  }
}

function readBatch(cursor: LimitedCursor, size: number): Promise<Batch> {
  return new Promise((resolve, reject) => {
    cursor.read(size, (error: Error | undefined, rows: Record<string, unknown>[], result) => {
      // Without an error the driver gives null, whatever its types say.
      if (error instanceof Error) reject(error);
      else resolve({ rows, count: result.rowCount, command: result.command ?? undefined });
    });
  });
}
