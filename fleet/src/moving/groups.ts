/** Message groups follow the homes of their routes: relays hand them over. */
import { type Move, type Place, Waiting } from "./move.ts";

/** Until a shard has no message group that is at home in another one. */
export async function untilGroupsHaveLeft(
  move: Pick<Move, "onWait">,
  { name, shard }: Place,
): Promise<void> {
  const waiting = new Waiting(move);
  for (;;) {
    const [first] = await shard.leavingGroups();
    if (first === undefined) return;
    await waiting.rest(
      first.waits
        ? `a consumer has a message of group "${first.groupId}" of queue "${first.queue}" of shard "${name}"`
        : `message groups of shard "${name}" are on their way, such as "${first.groupId}" of queue "${first.queue}"`,
    );
  }
}
