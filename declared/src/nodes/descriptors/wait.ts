import type { NodeDescriptor } from "../descriptor.ts";
import { any, duration, object, text } from "./parameter-schemas.ts";

export const WAIT: NodeDescriptor = {
  type: "wait@1",
  title: "Wait for an event",
  description:
    "Waits for a signal to the run, or for a message on a topic. Takes `received` with the payload as output, or `timeout`.",
  category: "Flow",
  icon: "bell",
  params: object({
    event: text({
      title: "Event",
      description: "Name of the signal. Default: the id of the node.",
    }),
    topic: text({
      title: "Topic",
      description: "Also waits for a message whose topic matches this pattern.",
      examples: ["order.*.paid"],
    }),
    match: any({
      title: "Match",
      description: "Members that the payload must contain. Default: any payload.",
    }),
    timeout: duration({ title: "Timeout", description: "Default: no limit.", examples: ["7d"] }),
  }),
  handles: ["received", "timeout"],
  effects: "none",
  waits: true,
  isCall: false,
};
