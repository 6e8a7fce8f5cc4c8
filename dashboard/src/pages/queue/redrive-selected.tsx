import { useQueryClient } from "@tanstack/react-query";
import type { ReactNode } from "react";
import { redriveQueue } from "../../api/queues.ts";
import { BusyButton } from "../../parts/busy-button.tsx";
import { attempt, note } from "../../shell/notes.tsx";

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
    await attempt("redrive", async () => {
      const { redriven } = await redriveQueue(queue, ids.length, ids);
      note(
        redriven === ids.length
          ? `${redriven} dead letters were sent back.`
          : `${redriven} of ${ids.length} dead letters were sent back. The others are in flight, their queue is gone, or earlier letters of their group stay.`,
      );
      onDone();
    });
    await queries.invalidateQueries({ queryKey: ["queues"] });
  };
  return (
    <BusyButton isDisabled={ids.length === 0} onPress={redrive}>
      Redrive {ids.length} selected
    </BusyButton>
  );
}
