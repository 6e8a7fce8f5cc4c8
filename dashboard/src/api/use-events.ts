import { useEffect, useEffectEvent } from "react";
import { follow, type ServerEvent } from "./events.ts";

/**
 * Calls back with each event of a stream while the component is shown. Nothing is followed without a path. What a server
 * refuses is reported by the queries of the page.
 */
export function useEvents(path: string | undefined, onEvent: (event: ServerEvent) => void): void {
  const receive = useEffectEvent(onEvent);
  useEffect(() => {
    const leaving = new AbortController();
    void (async () => {
      if (path === undefined) return;
      for await (const event of follow(path, leaving.signal)) {
        if (!leaving.signal.aborted) receive(event);
      }
    })().catch(() => {});
    return () => leaving.abort();
  }, [path]);
}
