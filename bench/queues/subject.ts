/** A queue as the benchmark sees it: one client calls these, one after another. */
import type { Client } from "pg";

export interface Subject {
  readonly name: string;
  /** Makes an empty queue, and drops the one before. */
  readonly create: (database: Client) => Promise<void>;
  readonly send: (client: Client, message: string) => Promise<void>;
  readonly sendBatch: (client: Client, messages: readonly string[]) => Promise<void>;
  /** Receives up to so many, and acknowledges them all; returns how many there were. */
  readonly receiveAndAck: (client: Client, max: number) => Promise<number>;
}
