/** A session that waits for a queue as consumers do: it listens, and lets senders see that it waits. */
import type { TestDatabase } from "./database.ts";

export interface Waiter {
  /** Channels of the notifications that have come so far. */
  readonly notified: readonly string[];
  /** Lets senders see a waiter. */
  begin(): Promise<void>;
  /** The opposite; the session listens on. */
  end(): Promise<void>;
  /** Returns when everything that was notified before has come. */
  caughtUp(): Promise<void>;
}

export async function openWaiter(database: TestDatabase, queue: string): Promise<Waiter> {
  const session = await database.connect();
  const channel = `queue_${queue}`;
  const notified: string[] = [];
  session.on("notification", (notification) => {
    notified.push(notification.channel);
  });
  await session.query(`listen "${channel}"`);
  const key = "queue.wake_key($1)";
  return {
    notified,
    begin: async () => {
      await session.query(`select pg_advisory_lock_shared(${key})`, [channel]);
    },
    end: async () => {
      await session.query(`select pg_advisory_unlock_shared(${key})`, [channel]);
    },
    caughtUp: async () => {
      // A notification comes before the answer to the statement during which it arrived.
      await session.query("select");
    },
  };
}
