/** The runs of routes follow them: first those in progress, then ended ones. */
import { InvalidArgument } from "../../core/errors.ts";
import type { RouteHandover } from "../../protocol/shards.ts";
import { untilDelivered } from "./deliveries.ts";
import { type Move, pause } from "./move.ts";

/** How often runs may be found again after they have left: the target may hand some back, which it can't have. */
const MAX_RETURNS = 5;

export async function moveRuns(move: Move): Promise<void> {
  const { sources, target } = move;
  for (let returns = 0; returns <= MAX_RETURNS; returns += 1) {
    const before = move.progress.moved;
    for (const onlyRunning of [true, false]) await moveAll(move, onlyRunning);
    if (move.progress.moved === before) return;
    for (const source of sources) await untilDelivered(move, source, target);
    for (const source of sources) await untilDelivered(move, target, source);
  }
  throw new InvalidArgument(
    `Runs come back to their shard again and again, since "${target.name}" can't have them: its audit has the reason, in its action run.return.`,
  );
}

/** Until none is left that can move, however long workers keep theirs. */
async function moveAll(move: Move, onlyRunning: boolean): Promise<void> {
  for (;;) {
    const before = move.progress.moved;
    await passOver(move, onlyRunning);
    if (move.progress.waiting > 0) await pause();
    else if (move.progress.moved === before) return;
  }
}

/** Looks at all runs of the shards once. */
async function passOver(move: Move, onlyRunning: boolean): Promise<void> {
  const { sources, target, routes, endsLeases, onProgress } = move;
  move.progress = { ...move.progress, waiting: 0, kept: 0, problem: undefined };
  for (const { shard } of sources) {
    let after: string | null = "0";
    while (after !== null) {
      const done: RouteHandover = await shard.handOverRoutes({
        routes,
        target: target.name,
        after,
        onlyRunning,
        endsLeases,
      });
      const { moved, waiting, kept, problem } = move.progress;
      move.progress = {
        moved: moved + done.moved,
        waiting: waiting + done.asked + done.busy,
        kept: kept + done.kept,
        problem: problem ?? done.problem ?? undefined,
      };
      after = done.lastRunId;
      onProgress(move.progress);
    }
  }
}
