/** Waits for items between shards, which relays move. */
import { InvalidArgument } from "@oxbow/sdk";
import { type Move, type Place, Waiting } from "./move.ts";

/**
 * Until what waits in a shard for another one now has been delivered: what is sent after it need not wait for that.
 *
 * @param patienceMs For how long the first of them may wait here. Default: for ever.
 * @throws InvalidArgument after that time
 */
export async function untilDelivered(
  move: Pick<Move, "onWait">,
  source: Place,
  target: Place,
  patienceMs = Number.POSITIVE_INFINITY,
): Promise<void> {
  const waiting = new Waiting(move);
  let first = { since: 0, at: 0 };
  for (;;) {
    // Before the answer, whose way may take longer than the first item has waited.
    const waitedMs = waiting.ms;
    const lags = await source.shard.lag();
    const { items, oldestSeconds } = lags.find(({ shard }) => shard === target.name) ?? NOTHING;
    if (items === 0 || oldestSeconds * 1000 < waitedMs) return;
    // While the same item is the first, its age grows as the time does.
    const since = performance.now() - oldestSeconds * 1000;
    if (Math.abs(since - first.since) > SAME_MS) first = { since, at: performance.now() };
    if (performance.now() - first.at > patienceMs) {
      throw new InvalidArgument(
        `Shard "${target.name}" has accepted nothing from "${source.name}" for ${Math.round(patienceMs / 1000)} s, so its new home would turn the routes off: see \`oxbow shards outbox\`, and repeat the move.`,
      );
    }
    await waiting.rest(
      `${items} items of shard "${source.name}" wait for "${target.name}", the first for ${Math.round(oldestSeconds)} s`,
    );
  }
}

const NOTHING = { items: 0, oldestSeconds: 0 };
/** How far two readings of the age of one item may differ. */
const SAME_MS = 500;
