/** The queues of a fleet, which every shard has to have: messages are sent to any. */
import { OxbowError } from "@oxbow/sdk";
import type { QueueSettings } from "@oxbow/sdk/internal/fleet";
import type { Member } from "./members.ts";

/**
 * Creates the queues that the others have. One that they have with different settings is taken from the first.
 *
 * @throws QueueExists for a queue that is there with other settings
 */
export async function copyQueues(others: readonly Member[], to: Member): Promise<void> {
  const lists = await Promise.all(others.map(({ transport }) => transport.queues.list()));
  const byName = new Map(
    lists
      .toReversed()
      .flat()
      .map((queue) => [queue.name, queue]),
  );
  for (const queue of inOrder([...byName.values()])) await copy(queue, to);
}

/** A queue comes after that of its dead letters, which may have one itself. */
function* inOrder(queues: readonly QueueSettings[]): Generator<QueueSettings> {
  const passed = new Set<string>();
  for (let left = queues; left.length > 0;) {
    const isNext = ({ deadLetterQueue }: QueueSettings): boolean =>
      deadLetterQueue === null || passed.has(deadLetterQueue);
    // Without it, the database refuses them, and names what is missing.
    const next = left.some(isNext) ? left.filter(isNext) : left;
    yield* next;
    for (const { name } of next) passed.add(name);
    left = left.filter((queue) => !next.includes(queue));
  }
}

async function copy(queue: QueueSettings, { name, transport }: Member): Promise<void> {
  const { maxReceives, retentionMs, deadLetterQueue, delayMs } = queue;
  try {
    await transport.queues.create({
      name: queue.name,
      fifo: queue.fifo,
      visibilityTimeoutMs: queue.visibilityTimeoutMs,
      maxReceives: maxReceives ?? undefined,
      retentionMs: retentionMs ?? undefined,
      deadLetterQueue: deadLetterQueue ?? undefined,
      delayMs,
      deduplicationScope: queue.deduplicationScope,
    });
  } catch (error) {
    if (error instanceof OxbowError) error.message = `Shard "${name}": ${error.message}`;
    throw error;
  }
}
