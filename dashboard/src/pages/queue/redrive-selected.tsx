import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { messageOf } from "../../api/problem.ts";
import { redriveQueue } from "../../api/queues.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { note } from "../../shell/notes.tsx";

/** Sends the selected dead letters back to the queues that they came from. */
export function RedriveSelected({
  queue,
  ids,
  onDone,
}: {
  readonly queue: string;
  readonly ids: string[];
  readonly onDone: () => void;
}): ReactNode {
  const queries = useQueryClient();
  const redrive = async (): Promise<void> => {
    try {
      const { redriven } = await redriveQueue(queue, ids.length, ids);
      note(
        redriven === ids.length
          ? `${redriven} dead letters were sent back.`
          : `${redriven} of ${ids.length} dead letters were sent back. The others are in flight, their queue is gone, or earlier letters of their group stay.`,
      );
      onDone();
    } catch (error) {
      note(`Can't redrive: ${messageOf(error)}`);
    }
    await queries.invalidateQueries({ queryKey: ["queues"] });
  };
  return (
    <BusyButton isDisabled={ids.length === 0} onPress={redrive}>
      Redrive {ids.length} selected
    </BusyButton>
  );
}
