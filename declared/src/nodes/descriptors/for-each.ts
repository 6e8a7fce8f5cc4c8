import type { NodeDescriptor } from "../descriptor.ts";
import { any, IN_BODY, LITERAL, object, oneOf, whole } from "./parameter-schemas.ts";

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
        description: "At most 10,000, or 50,000 if each is a run.",
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
        description: "`stop` for no failures, a number of iterations, or a share.",
        default: "stop",
        ...LITERAL,
        examples: ["10%"],
      },
      as: oneOf(["inline", "runs"], {
        title: "Items as",
        description:
          "`inline`: in this run. `runs`: each item is a child run, for nodes that wait, and for more than 10,000 items.",
        default: "inline",
        ...LITERAL,
      }),
    },
    ["items"],
  ),
  handles: ["out"],
  effects: "none",
  isCall: false,
};
