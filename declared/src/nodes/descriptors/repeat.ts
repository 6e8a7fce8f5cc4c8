import type { NodeDescriptor } from "../descriptor.ts";
import { any, duration, guard, IN_BODY, LITERAL, object, whole } from "./parameter-schemas.ts";

export const REPEAT: NodeDescriptor = {
  type: "repeat@1",
  title: "Repeat",
  description:
    "Executes its nodes again and again until a condition holds. Its output is `{ rounds, result }`, the result being that of the last round.",
  category: "Flow",
  icon: "repeat",
  params: object(
    {
      until: guard({
        title: "Until",
        description: "Asked at the end of each round.",
        examples: ["nodes.poll.output.done"],
        ...IN_BODY,
      }),
      collect: any({
        title: "Result",
        description: "The result of a round. Default: the output of its `end`.",
        ...IN_BODY,
      }),
      pause: duration({
        title: "Pause",
        description: "Between two rounds.",
        examples: ["30s"],
        ...LITERAL,
      }),
      max: whole({
        title: "Most rounds",
        description: "The node fails after them.",
        minimum: 1,
        maximum: 10_000,
        default: 100,
        ...LITERAL,
      }),
    },
    ["until"],
  ),
  handles: ["out"],
  effects: "none",
  isCall: false,
};
