/** Queues and their messages. */
import { queryOptions } from "@tanstack/react-query";
import { answer, api } from "./client.ts";
import { recordSample } from "./queue-samples.ts";
import type { paths } from "./schema.ts";

export type Queue =
  paths["/v1/queues/{name}"]["get"]["responses"][200]["content"]["application/json"];

export type PeekedMessage =
  paths["/v1/queues/{name}/messages"]["get"]["responses"][200]["content"]["application/json"]["messages"][number];
export type SentMessage = Extract<
  paths["/v1/queues/{name}/messages"]["post"]["requestBody"]["content"]["application/json"],
  { message: unknown }
>;

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

/** All queues with the counts of their messages. */
export const queuesQuery = queryOptions({
  queryKey: ["queues"],
  queryFn: async ({ signal }) => {
    const { queues } = await answer(api.GET("/v1/queues", { signal }));
    return mapInTurn(queues, ({ name }) => readQueue(name, signal));
  },
});

export const peekQuery = (
  name: string,
  { after, matching, limit }: { after?: string; matching?: unknown; limit: number },
) =>
  queryOptions({
    queryKey: ["queues", name, "messages", after, matching, limit],
    queryFn: ({ signal }) =>
      answer(
        api.GET("/v1/queues/{name}/messages", {
          params: {
            path: { name },
            query: {
              limit,
              ...(after === undefined ? {} : { after }),
              ...(matching === undefined ? {} : { matching: JSON.stringify(matching) }),
            },
          },
          signal,
        }),
      ),
  });

export const sendMessage = (name: string, body: SentMessage) =>
  answer(api.POST("/v1/queues/{name}/messages", { ...named(name), body }));

export const purgeQueue = (name: string) =>
  answer(api.DELETE("/v1/queues/{name}/messages", named(name)));

/** @param messageIds Only these; absent: all. */
export const redriveQueue = (name: string, maxMessages: number, messageIds?: string[]) =>
  answer(
    api.POST("/v1/queues/{name}/redrive", {
      ...named(name),
      body: { maxMessages, ...(messageIds === undefined ? {} : { messageIds }) },
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
