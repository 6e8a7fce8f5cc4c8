import type { NodeDescriptor } from "../descriptor.ts";
import { any, flag, LITERAL, object, text } from "./parameter-schemas.ts";

export const RUN: NodeDescriptor = {
  type: "run@1",
  title: "Run a workflow",
  description:
    "Runs another workflow, of code or declared, exactly once. Its output is that of the run; with `detach`, the run's id.",
  category: "Flow",
  icon: "workflow",
  params: object(
    {
      workflow: text({ title: "Workflow", widget: "workflow", examples: ["ship-order"] }),
      input: any({ title: "Input" }),
      version: {
        type: "integer",
        minimum: 1,
        title: "Version",
        description: "Default: the published one of a definition, and the latest one of code.",
      },
      detach: flag({
        title: "Detach",
        description: "Starts the run without waiting for it.",
        ...LITERAL,
      }),
    },
    ["workflow"],
  ),
  handles: ["out"],
  effects: "writes",
  waits: true,
  isCall: false,
};
