/** Queues and their messages. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf, BodyOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";
import { recordSample } from "./queue-samples.ts";

export type Queue = AnswerOf<"/v1/queues/{name}">;

/** A queue that holds dead letters of others. */
export type DeadLetterQueue = AnswerOf<"/v1/dead-letter-queues">["queues"][number];

export type PeekedMessage = AnswerOf<"/v1/queues/{name}/messages">["messages"][number];
export type SentMessage = Extract<BodyOf<"/v1/queues/{name}/messages">, { message: unknown }>;

const AT_ONCE = 4;

const named = (name: string) => ({ params: { path: { name } } });

export const queueQuery = (name: string) =>
  queryOptions({
    queryKey: ["queues", name],
    queryFn: ({ signal }) => readQueue(name, signal),
  });

async function readQueue(name: string, signal: AbortSignal): Promise<Queue> {
  const queue = await answer(api.GET("/v1/queues/{name}", { ...named(name), signal }));
  recordSample(queue, Date.now());
  return queue;
}

/** Whether Oxbow uses a queue itself. */
const isInternal = (name: string): boolean => name.startsWith("__");

/** All queues with the counts of their messages, those of users first. */
export const queuesQuery = queryOptions({
  queryKey: ["queues"],
  queryFn: async ({ signal }) => {
    const { queues } = await answer(api.GET("/v1/queues", { signal }));
    const inOrder = [
      ...queues.filter(({ name }) => !isInternal(name)),
      ...queues.filter(({ name }) => isInternal(name)),
    ];
    return mapInTurn(inOrder, ({ name }) => readQueue(name, signal));
  },
});

/** Each queue is one request, so the overview reads no more of them. */
const MOST_ON_OVERVIEW = 50;
const OVERVIEW_REFRESH_MS = 15_000;

/** The queues that hold dead letters, with how many. */
export const deadLetterQueuesQuery = {
  ...readQuery(["queues", "", "dead-letters"], "/v1/dead-letter-queues"),
  refetchInterval: OVERVIEW_REFRESH_MS,
};

/** The first queues of users by their names, with their counts, and how many there are. */
export const firstQueuesQuery = queryOptions({
  queryKey: ["queues", "", "first"],
  queryFn: async ({ signal }) => {
    const { queues: all } = await answer(api.GET("/v1/queues", { signal }));
    const own = all.filter(({ name }) => !isInternal(name));
    const queues = await mapInTurn(own.slice(0, MOST_ON_OVERVIEW), ({ name }) =>
      readQueue(name, signal),
    );
    return { queues, total: own.length };
  },
  refetchInterval: OVERVIEW_REFRESH_MS,
});

export const peekQuery = (
  name: string,
  { after, matching, limit }: { after: string | undefined; matching: unknown; limit: number },
) =>
  readQuery(["queues", name, "messages", after, matching, limit], "/v1/queues/{name}/messages", {
    path: { name },
    query: {
      limit,
      after,
      matching: matching === undefined ? undefined : JSON.stringify(matching),
    },
  });

export const sendMessage = (name: string, body: SentMessage) =>
  answer(api.POST("/v1/queues/{name}/messages", { ...named(name), body }));

export const purgeQueue = (name: string) =>
  answer(api.DELETE("/v1/queues/{name}/messages", named(name)));

/** @param messageIds Only these; default: all. */
export const redriveQueue = (name: string, maxMessages: number, messageIds?: string[]) =>
  answer(
    api.POST("/v1/queues/{name}/redrive", {
      ...named(name),
      body: { maxMessages, messageIds },
    }),
  );

/** A few at a time: there may be hundreds. */
async function mapInTurn<Item, Result>(
  items: readonly Item[],
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  let next = 0;
  const turn = async (): Promise<void> => {
    for (;;) {
      const index = next;
      const item = items[index];
      if (item === undefined) return;
      next += 1;
      results[index] = await work(item);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, turn));
  return results;
}
