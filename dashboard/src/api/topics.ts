/** Subscriptions of topics. */
import type { AnswerOf, BodyOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";

export type Subscription = AnswerOf<"/v1/subscriptions">["subscriptions"][number];

export const subscriptionsQuery = readQuery(["subscriptions"], "/v1/subscriptions");

export const enableSubscription = (id: string) =>
  answer(
    api.POST("/v1/subscriptions/{subscription_id}/enable", {
      params: { path: { subscription_id: id } },
    }),
  );

export const endSubscription = (id: string) =>
  answer(
    api.DELETE("/v1/subscriptions/{subscription_id}", {
      params: { path: { subscription_id: id } },
    }),
  );

export type SubscribeBody = BodyOf<"/v1/topics/{pattern}/subscriptions">;

export const subscribe = (pattern: string, body: SubscribeBody) =>
  answer(api.POST("/v1/topics/{pattern}/subscriptions", { params: { path: { pattern } }, body }));

export const publish = (topic: string, message: unknown) =>
  answer(
    api.POST("/v1/topics/{pattern}/messages", {
      params: { path: { pattern: topic } },
      body: { message },
    }),
  );

export type Target = AnswerOf<"/v1/topics/{pattern}/targets", "post">["targets"][number];

/** What a message would go to; publishes nothing. */
export const findTargets = (topic: string, message: unknown) =>
  answer(
    api.POST("/v1/topics/{pattern}/targets", {
      params: { path: { pattern: topic } },
      body: { message },
    }),
  );

export type DeadLetter = AnswerOf<"/v1/topic-dead-letters">["letters"][number];

export const deadLettersQuery = (after: string | undefined, max: number) =>
  readQuery(["topic-dead-letters", after, max], "/v1/topic-dead-letters", {
    query: { max, after },
  });

export const redriveDeadLetters = (subscriptionId: string | undefined, maxMessages: number) =>
  answer(
    api.POST("/v1/topic-dead-letters/redrive", {
      body: { maxMessages, subscriptionId },
    }),
  );

export const redriveTheseLetters = (ids: string[]) =>
  answer(api.POST("/v1/topic-dead-letters/redrive", { body: { maxMessages: ids.length, ids } }));

export const deleteDeadLetters = (ids: string[]) =>
  answer(api.POST("/v1/topic-dead-letters/delete", { body: { ids } }));
