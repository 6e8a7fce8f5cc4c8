/** The way of clients and workers to the auditor: a socket, a line an entry. */
import { once } from "node:events";
import { connect, type Socket } from "node:net";
import { createInterface } from "node:readline";
import { type Entry, monotonic } from "../record.ts";

type Sent = Entry extends infer One ? (One extends Entry ? Omit<One, "at"> : never) : never;

export class AuditLog {
  readonly #socket: Socket;
  readonly #waiting = new Map<number, () => void>();
  #last = 0;
  #isClosed = false;

  private constructor(socket: Socket) {
    this.#socket = socket;
    const lines = createInterface(socket);
    lines.on("error", () => {});
    lines.on("line", (line) => {
      const id = Number(line);
      this.#waiting.get(id)?.();
      this.#waiting.delete(id);
    });
    // Without the auditor nothing this process does is recorded.
    socket.on("close", () => {
      if (!this.#isClosed) process.exit(86);
    });
    socket.on("error", () => {});
  }

  static async open(port: number): Promise<AuditLog> {
    const socket = connect(port, "127.0.0.1");
    await once(socket, "connect");
    socket.setNoDelay(true);
    return new AuditLog(socket);
  }

  /** Resolves when the auditor has the entry in its store. */
  note(entry: Sent): Promise<void> {
    return new Promise((resolve) => {
      this.#last += 1;
      this.#waiting.set(this.#last, resolve);
      this.#write({ id: this.#last, entry: { ...entry, at: monotonic() } });
    });
  }

  /** Sends an entry without waiting, for bodies, which may await nothing but steps. */
  send(entry: Sent): void {
    this.#write({ entry: { ...entry, at: monotonic() } });
  }

  /** Lets the process end while the auditor is connected. */
  unref(): void {
    this.#socket.unref();
  }

  close(): void {
    this.#isClosed = true;
    this.#socket.end();
  }

  #write(line: object): void {
    this.#socket.write(`${JSON.stringify(line)}\n`);
  }
}
