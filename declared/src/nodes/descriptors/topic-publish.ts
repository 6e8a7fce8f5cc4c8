import type { NodeDescriptor } from "../descriptor.ts";
import { any, object, text } from "./parameter-schemas.ts";

export const TOPIC_PUBLISH: NodeDescriptor = {
  type: "topic.publish@1",
  title: "Publish to a topic",
  description:
    "Publishes a message to all subscribers of a topic exactly once: in the transaction that journals the node.",
  category: "Messages",
  icon: "megaphone",
  params: object(
    {
      topic: text({
        title: "Topic",
        description: "Words split by dots.",
        examples: ["order.paid"],
      }),
      message: any({ title: "Message" }),
    },
    ["topic", "message"],
  ),
  output: { type: "null" },
  handles: ["out"],
  effects: "writes",
  isCall: false,
};
