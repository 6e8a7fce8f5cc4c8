/**
 * A cursor for statements that are data. The driver's own ends the process by a message that it doesn't expect, and it
 * waits for ever to be closed where the connection is lost.
 *
 * Promises:
 *   B1  A statement that moves data past its result (`copy … to stdout`, `copy … from stdin`) fails.
 *   B2  A result is received up to a number of bytes, even if they are of one value.
 *   B3  Nothing that the server sends throws into the driver: a row that can't be parsed fails the statement.
 *
 * Each costs the connection, which can't be in any other state that is known.
 */
import type pg from "pg";
import Cursor from "pg-cursor";
import { cut } from "./sockets.ts";

/** What the driver's classes have, and their types don't say. */
interface Message {
  readonly length: number;
}
type Wire = pg.Connection;
interface Handling {
  handleDataRow(message: Message): void;
  handleError(error: unknown): void;
}
const driver = Cursor.prototype as unknown as Handling;

/** A statement that can't be read as rows, with the SQLSTATE that the database would have. */
class UnreadableStatement extends Error {
  readonly code: "0A000" | "54000" | "22000";

  constructor(code: UnreadableStatement["code"], message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = "UnreadableStatement";
    this.code = code;
  }
}

export class LimitedCursor extends Cursor<Record<string, unknown>> implements Handling {
  /** Size of the rows so far. */
  bytes = 0;
  readonly #maxBytes: number;
  #wire: Wire | undefined;
  #received = 0;
  #refusal: UnreadableStatement | undefined;

  /** @param maxBytes that may be received */
  constructor(text: string, values: readonly unknown[], maxBytes: number) {
    super(text, [...values]);
    this.#maxBytes = maxBytes;
    const submit = this.submit;
    this.submit = (connection) => {
      this.#wire = connection;
      connection.stream.on("data", this.#count);
      connection.once("copyOutResponse", this.#refuseCopy);
      submit.call(this, connection);
    };
  }

  /** Ends the cursor; the connection can be used again, or is lost. */
  async finish(): Promise<void> {
    this.#letGo();
    await closeCursor(this);
  }

  handleDataRow(message: Message): void {
    if (this.#refusal !== undefined) return;
    this.bytes += message.length;
    try {
      driver.handleDataRow.call(this, message);
    } catch (error) {
      this.#refuse("22000", "A row of the statement can't be parsed.", { cause: error });
    }
  }

  handleCopyInResponse(): void {
    this.#refuseCopy();
  }

  handleCopyData(): void {
    this.#refuseCopy();
  }

  handleError(error: unknown): void {
    this.#letGo();
    // The driver ignores an error after the end of the result, also of a read that has no answer yet.
    if (this.#wire?.stream.destroyed === true) Reflect.set(this, "state", "busy");
    driver.handleError.call(this, this.#refusal ?? error);
  }

  readonly #count = (chunk: Uint8Array): void => {
    this.#received += chunk.length;
    if (this.#received <= this.#maxBytes) return;
    this.#refuse("54000", `The statement returns more than ${this.#maxBytes} bytes: limit it.`);
  };

  readonly #refuseCopy = (): void => {
    this.#refuse(
      "0A000",
      "COPY doesn't return rows, and can't be executed here: write a query instead, such as select or insert.",
    );
  };

  #refuse(code: UnreadableStatement["code"], message: string, options?: ErrorOptions): void {
    if (this.#refusal !== undefined) return;
    this.#refusal = new UnreadableStatement(code, message, options);
    cut(this.#wire?.stream);
  }

  #letGo(): void {
    this.#wire?.stream.off("data", this.#count);
    this.#wire?.off("copyOutResponse", this.#refuseCopy);
  }
}

/** Closes a cursor. The driver waits for ever if the connection is lost. */
export async function closeCursor(cursor: Cursor): Promise<void> {
  const wire = Reflect.get(cursor, "connection") as Wire | null;
  if (wire === null || wire.stream.destroyed) return;
  let isLost: (() => void) | undefined;
  const lost = new Promise<void>((resolve) => {
    isLost = resolve;
    wire.once("end", resolve);
  });
  try {
    await Promise.race([cursor.close(), lost]);
  } finally {
    if (isLost !== undefined) wire.off("end", isLost);
  }
}
