import type { NodeDescriptor } from "../descriptor.ts";
import { any, IN_BODY, LITERAL, object, whole } from "./parameter-schemas.ts";

export const FOR_EACH: NodeDescriptor = {
  type: "for_each@1",
  title: "For each",
  description:
    "Executes its nodes once for each item of a list. They read the item as `item` and its place as `index`. Its output is `{ results, succeeded, failed, failures }`, in the order of items.",
  category: "Flow",
  icon: "list",
  params: object(
    {
      items: {
        type: "array",
        title: "Items",
        description:
          "At most 10,000. For bodies that wait, start a definition for each item by `run@1`.",
      },
      concurrency: whole({
        title: "Concurrency",
        description: "Iterations at the same time.",
        minimum: 1,
        maximum: 100,
        default: 10,
        ...LITERAL,
      }),
      collect: any({
        title: "Result",
        description: "The result of an iteration. Default: the output of its `end`.",
        examples: [{ $path: "nodes.reserve.output.bin" }],
        ...IN_BODY,
      }),
      failures: {
        type: ["string", "number"],
        title: "Tolerated failures",
        description: "`stop` for none, a number of iterations, or a share.",
        default: "stop",
        ...LITERAL,
        examples: ["10%"],
      },
    },
    ["items"],
  ),
  handles: ["out"],
  effects: "none",
  isCall: false,
};
