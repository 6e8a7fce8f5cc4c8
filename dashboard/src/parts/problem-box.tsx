import type { ReactNode } from "react";
import { isRefusedOverShards, messageOf, Problem } from "../api/problem.ts";
import { Empty } from "./empty.tsx";

/** What went wrong; the server's texts say what to do. */
export function ProblemBox({
  error,
  retry,
}: {
  readonly error: unknown;
  readonly retry?: (() => void) | undefined;
}): ReactNode {
  if (isRefusedOverShards(error)) {
    return (
      <div className="card" role="status">
        <Empty title="This needs a server of one shard, and this server serves several.">
          <p>Start a server with the url of one shard, and open its dashboard.</p>
        </Empty>
      </div>
    );
  }
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
