import type { NodeDescriptor } from "../descriptor.ts";
import { any, flag, LITERAL, object } from "./parameter-schemas.ts";

export const END: NodeDescriptor = {
  type: "end@1",
  title: "End",
  description: "Gives the output of the run, or of the iteration of a loop.",
  category: "Flow",
  icon: "flag",
  params: object({
    output: any({ title: "Output" }),
    terminate: flag({
      title: "Terminate",
      description: "Ends the graph immediately, and abandons what is open.",
      ...LITERAL,
    }),
  }),
  output: { $typeOf: "params.output" },
  handles: [],
  effects: "none",
  isPure: true,
  isCall: false,
};
