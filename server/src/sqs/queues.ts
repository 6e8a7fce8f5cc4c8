/** Queues as clients of SQS see them: calls of the database, and those found in the last second. */
import { QueueNotFound } from "@oxbow/sdk";
import type { Room, RoomQueries } from "@oxbow/sdk/internal/rooms";
import {
  sqsCancelMove,
  sqsContinueMoves,
  sqsCreateQueue,
  sqsFindQueue,
  type SqsQueueStateRow,
  sqsListMoves,
  type SqsMoveRow,
  sqsListQueues,
  sqsPurgeQueue,
  sqsSetAttributes,
  sqsStartMove,
  sqsTagQueue,
} from "./functions.ts";

export type SqsQueue = SqsQueueStateRow;
export type SqsMove = SqsMoveRow;
type Texts = Readonly<Record<string, string | null>>;
/** As alter_queue() takes them. */
export type Settings = Readonly<Record<string, string | number | null>>;

/** Each method one call of one SQL function. */
export class SqsCalls {
  readonly #queries: RoomQueries;

  constructor(queries: RoomQueries) {
    this.#queries = queries;
  }

  create(name: string, settings: Settings, attributes: Texts, tags: Texts): Promise<SqsQueue> {
    const values = [settings, attributes, tags].map((one) => JSON.stringify(one));
    const [given = "{}", kept = "{}", tagged = "{}"] = values;
    return this.#queries.queryOne(sqsCreateQueue, [name, given, kept, tagged]);
  }

  /** @throws QueueNotFound */
  find(name: string): Promise<SqsQueue> {
    return this.#queries.queryOne(sqsFindQueue, [name], { isPrompt: true });
  }

  list(
    prefix: string | undefined,
    deadLetterTo: string | undefined,
    max: number,
    after: string | undefined,
  ): Promise<SqsQueue[]> {
    return this.#queries.query(sqsListQueues, [
      prefix ?? "",
      deadLetterTo ?? null,
      max,
      after ?? "",
    ]);
  }

  set(name: string, settings: Settings, attributes: Texts): Promise<SqsQueue> {
    return this.#queries.queryOne(sqsSetAttributes, [
      name,
      JSON.stringify(settings),
      JSON.stringify(attributes),
    ]);
  }

  tag(name: string, tags: Texts, removed: readonly string[]): Promise<SqsQueue> {
    return this.#queries.queryOne(sqsTagQueue, [name, JSON.stringify(tags), removed]);
  }

  /** The id of the task; null if another one is running for the queue. */
  startMove(
    source: string,
    target: string | undefined,
    maxPerSecond: number | undefined,
  ): Promise<string | null> {
    return this.#queries.value(sqsStartMove, [source, target ?? null, maxPerSecond ?? null]);
  }

  listMoves(source: string, max: number): Promise<SqsMove[]> {
    return this.#queries.query(sqsListMoves, [source, max]);
  }

  /** How many messages were moved; undefined if no such task is running. */
  async cancelMove(source: string, taskId: string): Promise<number | undefined> {
    const moved = await this.#queries.value(sqsCancelMove, [source, taskId]);
    return moved === null ? undefined : Number(moved);
  }

  /** Milliseconds until messages are due to be moved; undefined if no task is running. */
  async continueMoves(): Promise<number | undefined> {
    const seconds = await this.#queries.value(sqsContinueMoves, []);
    return seconds === null ? undefined : seconds * 1_000;
  }

  /** False: it was purged less than a minute ago. */
  async purge(name: string): Promise<boolean> {
    return (await this.#queries.value(sqsPurgeQueue, [name])) !== null;
  }
}

export const SQS: Room<SqsCalls> = {
  title: "SQS",
  postgres: ({ queries }) => new SqsCalls(queries),
  http: () => {
    throw new Error("A server that answers clients of SQS needs its database: set DATABASE_URL.");
  },
};

/** A queue that another server changes is seen as it was for up to this long; SQS itself takes a minute. */
const KNOWN_FOR_MS = 1_000;
const MOST_KNOWN = 10_000;

interface Known {
  readonly queue: Promise<SqsQueue>;
  readonly until: number;
}

/** Asks for each queue at most once a second. */
export class KnownQueues {
  readonly #find: (name: string) => Promise<SqsQueue>;
  readonly #known = new Map<string, Known>();

  constructor(find: (name: string) => Promise<SqsQueue>) {
    this.#find = find;
  }

  find(name: string): Promise<SqsQueue> {
    const known = this.#known.get(name);
    if (known !== undefined && known.until > performance.now()) return known.queue;
    if (this.#known.size >= MOST_KNOWN) this.#known.clear();
    const queue = this.#find(name);
    this.#known.set(name, { queue, until: performance.now() + KNOWN_FOR_MS });
    queue.catch(() => this.#known.delete(name));
    return queue;
  }

  /** Whether it was known. */
  forget(name: string): boolean {
    return this.#known.delete(name);
  }

  /** Does it again if the queue isn't the one that was known: another server has replaced it since. */
  async with<Answer>(name: string, use: (queue: SqsQueue) => Promise<Answer>): Promise<Answer> {
    const wasKnown = this.#known.has(name);
    const queue = await this.find(name);
    try {
      return await use(queue);
    } catch (error) {
      if (!(error instanceof QueueNotFound) || !wasKnown) throw error;
      this.forget(name);
      return use(await this.find(name));
    }
  }
}
