import type { NodeDescriptor } from "../descriptor.ts";
import { any, duration, object, text, whole } from "./parameter-schemas.ts";

export const JS: NodeDescriptor = {
  type: "js@1",
  title: "JavaScript",
  description:
    "Computes a value by JavaScript, in a sandbox without network, files, timers and modules. The code is the body of a function with the parameter `input`; its output is what it returns.",
  category: "Data",
  icon: "code",
  params: object(
    {
      input: any({
        title: "Input",
        description: "The value of `input` in the code.",
        default: null,
      }),
      code: text({
        title: "Code",
        description: "At most 64 KiB.",
        widget: "code",
        examples: ["return input.lines.map(({ price, count }) => price * count);"],
      }),
      output: {
        title: "Schema of the output",
        description:
          "JSON Schema. Other nodes read the output by it, and an output that differs fails the node.",
        widget: "schema",
        group: "Limits",
      },
      time: duration({
        title: "Time limit",
        description: "Up to 10 s.",
        default: "1s",
        group: "Limits",
      }),
      memory: whole({
        title: "Memory limit",
        description: "In MB.",
        minimum: 1,
        maximum: 128,
        default: 32,
        group: "Limits",
      }),
    },
    ["code"],
  ),
  output: { $from: "params.output" },
  handles: ["out"],
  effects: "none",
  takesSecrets: false,
};
