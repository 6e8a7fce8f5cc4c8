import type { NodeDescriptor } from "../descriptor.ts";
import { duration, object, text } from "./parameter-schemas.ts";

export const DELAY: NodeDescriptor = {
  type: "delay@1",
  title: "Delay",
  description:
    "Sleeps for a duration or until a time, across crashes and deploys. The time is set when the run first gets here.",
  category: "Flow",
  icon: "clock",
  params: object({
    for: duration({
      title: "For",
      description: "Without effect beside `until`.",
      examples: ["5m"],
    }),
    until: text({
      title: "Until",
      description: "A time in RFC 3339. A time in the past is over immediately.",
      examples: ["2027-01-31T09:00:00Z"],
    }),
  }),
  output: { type: "null" },
  handles: ["out"],
  effects: "none",
  waits: true,
  isCall: false,
};
