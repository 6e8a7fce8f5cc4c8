import type { UseQueryResult } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "../api/problem.ts";
import { ProblemBox } from "./problem-box.tsx";

export const Loading = (): ReactNode => (
  <p className="loading" aria-busy="true">
    Loading…
  </p>
);

/** The answer of a query, or what it waits for. An old answer stays while the server can't be reached. */
export function Answered<Data>({
  query,
  children,
}: {
  readonly query: UseQueryResult<Data>;
  readonly children: (data: Data) => ReactNode;
}): ReactNode {
  const { data, error, refetch } = query;
  if (data === undefined) {
    return error === null ? <Loading /> : <ProblemBox error={error} retry={() => void refetch()} />;
  }
  return (
    <>
      {error === null ? null : (
        <p className="stale" role="status">
          Not up to date: {messageOf(error)}
        </p>
      )}
      {children(data)}
    </>
  );
}
