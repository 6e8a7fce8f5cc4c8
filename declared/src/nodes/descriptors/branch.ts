import type { NodeDescriptor } from "../descriptor.ts";
import { guard, LITERAL, object, oneOf, text } from "./parameter-schemas.ts";

export const BRANCH: NodeDescriptor = {
  type: "branch@1",
  title: "Branch",
  description:
    "Takes the handle of the first case whose condition holds, else `else`. Its output is the list of handles it took.",
  category: "Flow",
  icon: "branch",
  params: object(
    {
      cases: {
        type: "array",
        title: "Cases",
        ...LITERAL,
        description: "Each case is a handle of the node, in the order in which they are asked.",
        items: object(
          {
            id: text({ title: "Handle", examples: ["urgent"], ...LITERAL }),
            title: text({ title: "Title", ...LITERAL }),
            when: guard({ title: "Condition", examples: ["input.amount > 1000"] }),
          },
          ["id", "when"],
        ),
      },
      mode: oneOf(["first", "every"], {
        title: "Mode",
        description: "`every` takes the handles of all cases that hold.",
        default: "first",
        ...LITERAL,
      }),
    },
    ["cases"],
  ),
  output: { type: "array", items: { type: "string" } },
  handles: ["else"],
  handlesFrom: "cases",
  effects: "none",
  isPure: true,
  isCall: false,
};
