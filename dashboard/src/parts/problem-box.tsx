import type { ReactNode } from "react";
import { messageOf, Problem } from "../api/problem.ts";

/** What went wrong; the server's texts say what to do. */
export function ProblemBox({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
}): ReactNode {
  return (
    <div className="problem" role="alert">
      <p>{messageOf(error)}</p>
      {error instanceof Problem && error.code === "FORBIDDEN" ? (
        <p>Sign in with a token that has this scope, or ask an administrator for one.</p>
      ) : null}
      {retry === undefined ? null : (
        <button type="button" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}
