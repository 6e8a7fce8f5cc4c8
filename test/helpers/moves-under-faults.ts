/** Moves of routes, and other calls of clients, while faults end their sessions. */
import { ConnectionFailed } from "@oxbow/sdk";
import { moveRoutes } from "@oxbow/fleet/internal";
import type { Transport } from "@oxbow/sdk/internal/server";

/** Repeats a call whose session a fault has ended. Everything else is a failure of the call. */
export async function persist<Value>(call: () => Promise<Value>): Promise<Value> {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof ConnectionFailed)) throw error;
    }
  }
}

/** As the command, which is repeated if it loses a connection. */
export async function moveRoute(
  transport: Transport,
  route: string,
  target: string,
  withRuns: boolean,
): Promise<void> {
  await persist(() =>
    moveRoutes(transport, {
      routes: { route },
      target,
      withRuns,
      endsLeases: false,
      onProgress: () => {},
      onWait: () => {},
      onTrouble: () => {},
    }),
  );
}

/** Whether no shard has items for another one. */
export async function isQuiet({ fleet }: Transport): Promise<boolean> {
  const pending = await Promise.all(
    (fleet?.lanes ?? []).map(async ({ transport: { shards } }) => shards?.pending()),
  );
  return pending.every((names) => names?.length === 0);
}
