"use client";
import { useCallback, useEffect, useRef, useSyncExternalStore } from "react";
import { requireAccess, type RunAccess, useAccess } from "./run-access.ts";
import { follow, type SharedWatch, watchOf } from "./shared-watch.ts";

const nothing = (): undefined => undefined;

/**
 * Follows a run while the component is mounted, and returns what `read` returns of it.
 *
 * @param runId Without one, nothing is followed.
 * @throws Error without a url or a token.
 */
export function useWatch<Value>(
  hook: string,
  runId: string | undefined,
  access: RunAccess,
  wantsChunks: boolean,
  read: (watch: SharedWatch) => Value | undefined,
): Value | undefined {
  const given = useAccess(access);
  const { url, token } = runId === undefined ? given : requireAccess(given, `${hook}("${runId}")`);
  const newest = useRef(token);
  useEffect(() => {
    const before = newest.current;
    newest.current = token;
    // A function is called whenever a token is needed.
    if (typeof token !== "string" || token === before) return;
    if (runId !== undefined && url !== undefined) watchOf(url, runId)?.renew(wantsChunks);
  });
  const subscribe = useCallback(
    (onChange: () => void) => {
      if (runId === undefined || url === undefined) return () => {};
      return follow(url, runId, {
        wantsChunks,
        onChange,
        token: () => {
          const { current = "" } = newest;
          return typeof current === "string" ? current : current(runId);
        },
      });
    },
    [url, runId, wantsChunks],
  );
  return useSyncExternalStore(
    subscribe,
    () => {
      const watch = runId === undefined || url === undefined ? undefined : watchOf(url, runId);
      return watch === undefined ? undefined : read(watch);
    },
    nothing,
  );
}
