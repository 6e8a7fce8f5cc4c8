/** The session: who the server takes this browser for, and how a user signs in and out. */
import type { AnswerOf } from "./bodies.ts";
import { answer, api } from "./client.ts";
import { readQuery } from "./queries.ts";
import { NEVER_AGAIN } from "./refresh.ts";

export type Scope = AnswerOf<"/v1/session">["scopes"][number];

/** The request also extends the session of a user. */
const REFRESH_MS = 60_000;

export const sessionQuery = {
  ...readQuery(["session"], "/v1/session"),
  refetchInterval: REFRESH_MS,
  staleTime: REFRESH_MS,
};

export const signInWaysQuery = {
  ...readQuery(["sign-in"], "/v1/sign-in"),
  ...NEVER_AGAIN,
};

/** Ends the session of a user. Returns where the browser signs out at the provider. */
export const signOut = () => answer(api.DELETE("/v1/session"));
