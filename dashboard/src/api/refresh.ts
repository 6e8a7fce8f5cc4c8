/** How often answers without a live stream are read again while the tab can be seen. */
import { focusManager } from "@tanstack/react-query";
import { isRefusedOverShards } from "./problem.ts";

/** Most lists. */
export const USUALLY_MS = 5_000;
/** Lists that someone waits at, whose reads cost little. */
export const PROMPTLY_MS = 2_000;

/** Options of a query whose answer never changes. */
export const NEVER_AGAIN = {
  refetchInterval: false,
  staleTime: Number.POSITIVE_INFINITY,
} as const;

/** As the option `refetchInterval` of a query. */
export const refreshEvery =
  (ms: number) =>
  ({ state }: { readonly state: { readonly error: Error | null } }): number | false =>
    isRefusedOverShards(state.error) ? false : ms;

/** Reads immediately when a user returns from another tab, and also from another window beside this one. */
export function refreshOnReturn(): void {
  focusManager.setEventListener((onReturn) => {
    const listener = (): void => onReturn();
    addEventListener("visibilitychange", listener);
    addEventListener("focus", listener);
    return () => {
      removeEventListener("visibilitychange", listener);
      removeEventListener("focus", listener);
    };
  });
}
