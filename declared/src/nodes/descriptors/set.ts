import type { NodeDescriptor } from "../descriptor.ts";

export const SET: NodeDescriptor = {
  type: "set@1",
  title: "Set values",
  description:
    "Computes values from others. Its output is its parameters, which may have any members.",
  category: "Data",
  icon: "braces",
  params: { title: "Values" },
  output: { $typeOf: "params" },
  handles: ["out"],
  effects: "none",
  isPure: true,
  isCall: false,
};
