/** What the user may do. The server refuses the rest; here it is left out. */
import { useQuery } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { type Scope, sessionQuery } from "../api/session.ts";

/** False until the server has answered. */
export function useMay(): (scope: Scope) => boolean {
  const { data } = useQuery(sessionQuery);
  return (scope) => data?.scopes.includes(scope) === true;
}

/** Shows its children to users with a scope. */
export function May({
  scope,
  children,
}: {
  readonly scope: Scope;
  readonly children: ReactNode;
}): ReactNode {
  const may = useMay();
  return may(scope) ? children : null;
}
