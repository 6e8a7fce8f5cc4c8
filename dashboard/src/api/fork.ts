/** The identity of the database, which may be a copy of another one. */
import type { AnswerOf, BodyOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";

export type Incarnation = NonNullable<AnswerOf<"/v1/incarnation">["incarnation"]>;
export type ReleaseBody = BodyOf<"/v1/incarnation/release">;
export type Captured = AnswerOf<"/v1/captured-deliveries">["deliveries"][number];

export const incarnationQuery = readQuery(["incarnation"], "/v1/incarnation");

export const releaseIncarnation = (body: ReleaseBody) =>
  answer(api.POST("/v1/incarnation/release", { body }));

export const capturedQuery = (after: string | undefined, max: number) =>
  readQuery(["captured-deliveries", after, max], "/v1/captured-deliveries", {
    query: { max, after },
  });
