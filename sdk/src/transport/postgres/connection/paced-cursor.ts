/**
 * A cursor whose rows come in pieces of a number of bytes, whatever their sizes are.
 *
 * Promises:
 *   G1  At most about a piece is in memory: what follows waits in the socket, and so in the database, until it is taken.
 *   G2  The database sends a batch to its end, so a batch of large rows is small: to leave the result early is cheap.
 */
import type pg from "pg";
import Cursor from "pg-cursor";
import { closeCursor } from "./limited-cursor.ts";

const PIECE_BYTES = 4 * 1024 * 1024;
const FIRST_BATCH = 10;
const LARGEST_BATCH = 500;

/** Rows that follow each other, and their size as they were sent. */
export interface Piece<Row> {
  readonly rows: Row[];
  readonly bytes: number;
}

/** What the driver's class has, and its types don't say. */
interface Driver {
  handleDataRow(message: { readonly length: number }): void;
}
const driver = Cursor.prototype as unknown as Driver;

export class PacedCursor<Row> extends Cursor<Row> implements Driver {
  #rows: Row[] = [];
  #bytes = 0;
  #batch: Promise<void> | undefined;
  #batchSize = FIRST_BATCH;
  /** Rows of the batch so far. */
  #received = 0;
  /** Whether the batch has more than a piece. */
  #isLarge = false;
  #isLast = false;
  #isLeft = false;
  /** Ends the wait for a piece. */
  #onPiece = (): void => {};

  /** The next piece; without rows after the last one. */
  async take(): Promise<Piece<Row>> {
    while (this.#rows.length === 0 && !this.#isLast) {
      const full = new Promise<void>((resolve) => {
        this.#onPiece = resolve;
      });
      this.#batch ??= this.#readBatch();
      this.#stream?.resume();
      await Promise.race([this.#batch, full]);
    }
    const piece = { rows: this.#rows, bytes: this.#bytes };
    this.#rows = [];
    this.#bytes = 0;
    return piece;
  }

  /** Ends the cursor; the connection can be used again, or is lost. */
  async finish(): Promise<void> {
    this.#isLeft = true;
    this.#stream?.resume();
    await closeCursor(this);
  }

  handleDataRow(message: { readonly length: number }): void {
    if (this.#isLeft) return;
    driver.handleDataRow.call(this, message);
    const [row] = (Reflect.get(this, "_rows") as Row[]).splice(0);
    this.#rows.push(row as Row);
    this.#received += 1;
    this.#bytes += message.length;
    if (this.#bytes < PIECE_BYTES) return;
    this.#isLarge = true;
    this.#stream?.pause();
    this.#onPiece();
  }

  async #readBatch(): Promise<void> {
    const size = this.#batchSize;
    this.#received = 0;
    this.#isLarge = false;
    await this.read(size);
    this.#batch = undefined;
    this.#isLast = this.#received < size;
    this.#batchSize = this.#isLarge ? Math.ceil(size / 2) : Math.min(2 * size, LARGEST_BATCH);
  }

  get #stream(): pg.Connection["stream"] | undefined {
    return (Reflect.get(this, "connection") as pg.Connection | null)?.stream;
  }
}

/** The first rows of a result: with about so many bytes at most, and one row in any case. */
export async function rowsWithin<Row>(
  pieces: AsyncIterable<Piece<Row>>,
  maxBytes: number,
): Promise<{ rows: Row[]; mayFollow: boolean }> {
  const found: Row[] = [];
  let size = 0;
  for await (const { rows, bytes } of pieces) {
    found.push(...rows);
    size += bytes;
    if (size >= maxBytes) return { rows: found, mayFollow: true };
  }
  return { rows: found, mayFollow: false };
}
