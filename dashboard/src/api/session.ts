/** The session: who the server takes this browser for, and how a user signs in and out. */
import { queryOptions } from "@tanstack/react-query";
import type { AnswerOf } from "./bodies.ts";
import { answer, api } from "./client.ts";

export type Scope = AnswerOf<"/v1/session">["scopes"][number];

/** The request also extends the session of a user. */
const REFRESH_MS = 60_000;

export const sessionQuery = queryOptions({
  queryKey: ["session"],
  queryFn: ({ signal }) => answer(api.GET("/v1/session", { signal })),
  refetchInterval: REFRESH_MS,
  staleTime: REFRESH_MS,
});

export const signInWaysQuery = queryOptions({
  queryKey: ["sign-in"],
  queryFn: ({ signal }) => answer(api.GET("/v1/sign-in", { signal })),
  refetchInterval: false,
  staleTime: Number.POSITIVE_INFINITY,
});

/** Ends the session of a user. Returns where the browser signs out at the provider. */
export const signOut = () => answer(api.DELETE("/v1/session"));
