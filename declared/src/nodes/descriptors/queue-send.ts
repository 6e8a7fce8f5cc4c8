import type { NodeDescriptor } from "../descriptor.ts";
import { any, duration, object, text } from "./parameter-schemas.ts";

export const QUEUE_SEND: NodeDescriptor = {
  type: "queue.send@1",
  title: "Send to a queue",
  description:
    "Sends a message to a queue of Oxbow exactly once: in the transaction that journals the node. Its output is `{ id }` of the message.",
  category: "Messages",
  icon: "send",
  params: object(
    {
      queue: text({ title: "Queue", examples: ["mail"] }),
      message: any({ title: "Message" }),
      headers: { type: "object", title: "Headers", description: "Metadata of the message." },
      delay: duration({
        title: "Delay",
        description: "How long the message stays invisible. Default: not at all.",
        examples: ["1m"],
      }),
      group: text({
        title: "Group",
        description:
          "For a FIFO queue, which requires it: messages of a group are received in order.",
        group: "FIFO queue",
      }),
      deduplicationId: text({
        title: "Deduplication id",
        description: "For a FIFO queue: within 5 minutes it accepts one message with this id.",
        group: "FIFO queue",
      }),
    },
    ["queue", "message"],
  ),
  output: object({ id: text({}) }, ["id"]),
  handles: ["out"],
  effects: "writes",
  takesSecrets: false,
  isTransaction: true,
};
