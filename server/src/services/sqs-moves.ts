/**
 * Moves messages for tasks that clients of SQS have started. Each call of the database moves the next messages of one task
 * in a transaction, in which the task is locked. So any number of servers may do it, and another one continues the task of
 * one that is killed.
 */
import type { SqsCalls } from "../sqs/queues.ts";
import type { Task } from "./service.ts";

const LOOK_EVERY_MS = 2_000;
/** Another server may be moving messages of the task that is due. */
const SHORTEST_PAUSE_MS = 10;

export class SqsMoves implements Task {
  readonly doing = "moving messages for clients of SQS";
  readonly #calls: Pick<SqsCalls, "continueMoves">;

  constructor(calls: Pick<SqsCalls, "continueMoves">) {
    this.#calls = calls;
  }

  async tick(): Promise<number> {
    const dueInMs = (await this.#calls.continueMoves()) ?? LOOK_EVERY_MS;
    return Math.min(LOOK_EVERY_MS, Math.max(SHORTEST_PAUSE_MS, dueInMs));
  }
}
