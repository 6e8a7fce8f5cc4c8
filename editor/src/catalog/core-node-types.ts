/** How the editor shows the node types that are built in. A catalog that contains one of them replaces it. */
import type { JsonObject, JsonSchema } from "@oxbow/declared/check";
import type { NodeTypeDescriptor } from "../data/catalog-data.ts";

const text = (title: string, more: JsonObject = {}): JsonObject => ({
  type: "string",
  title,
  ...more,
});
const duration = (title: string, description: string): JsonObject => ({
  type: ["string", "number"],
  title,
  description,
  examples: ["5m", "2h", "7d"],
});
const condition = (title: string, description: string): JsonObject =>
  text(title, { description, widget: "expression" });

function object(
  properties: Readonly<Record<string, JsonObject>>,
  required: readonly string[] = [],
): JsonSchema {
  return { type: "object", properties, required, additionalProperties: false };
}

const FLOW = "Flow";

export const CORE_NODE_TYPES: readonly NodeTypeDescriptor[] = [
  {
    type: "branch@1",
    title: "Branch",
    description: "Takes the way of the first case whose condition holds, or of every such case.",
    category: FLOW,
    icon: "branch",
    params: object(
      {
        cases: {
          type: "array",
          title: "Cases",
          bindable: false,
          items: object(
            {
              id: text("Name", {
                description: "The name of the way out: letters, digits, _ and -.",
                bindable: false,
              }),
              when: condition("Condition", "Is true or false, such as input.total > 100."),
            },
            ["id", "when"],
          ),
        },
        mode: { enum: ["first", "every"], title: "Takes", default: "first", bindable: false },
      },
      ["cases"],
    ),
    output: {},
    handles: ["else"],
    handlesFrom: "cases",
    isPure: true,
  },
  {
    type: "set@1",
    title: "Set values",
    description: "Computes values that later steps read.",
    category: FLOW,
    icon: "braces",
    params: { type: "object", title: "Values", additionalProperties: true },
    output: { $typeOf: "params" },
    isPure: true,
  },
  {
    type: "delay@1",
    title: "Delay",
    description: "Waits for a time. A waiting run costs nothing.",
    category: FLOW,
    icon: "clock",
    params: object({
      for: duration("For", "A duration such as 30s, 5m, 2h or 7d."),
      until: text("Until", { description: "A time, instead of a duration.", format: "date-time" }),
    }),
    output: {},
    waits: true,
  },
  {
    type: "wait@1",
    title: "Wait for an event",
    description: "Waits for a signal, or for a message on a topic.",
    category: FLOW,
    icon: "bell",
    params: object({
      event: text("Event", { description: "Name of the signal." }),
      topic: text("Topic", { description: "A topic, instead of a signal." }),
      match: { type: "object", title: "Match", description: "Members that the message has." },
      timeout: duration("Timeout", "How long it waits. Without one: for ever."),
    }),
    handles: ["received", "timeout"],
    waits: true,
  },
  {
    type: "run@1",
    title: "Run a workflow",
    description: "Starts another workflow, and waits for its result.",
    category: FLOW,
    icon: "play",
    params: object(
      {
        workflow: text("Workflow", { widget: "workflow" }),
        input: { title: "Input" },
        version: { type: "integer", title: "Version" },
        detach: {
          type: "boolean",
          title: "Don't wait",
          description: "The output is then the id of the run.",
        },
      },
      ["workflow"],
    ),
    waits: true,
  },
  {
    type: "for_each@1",
    title: "For each",
    description: "Runs its body once for each item of a list.",
    category: FLOW,
    icon: "loop",
    params: object(
      {
        items: { type: "array", title: "Items" },
        concurrency: {
          type: "integer",
          title: "At the same time",
          minimum: 1,
          maximum: 100,
          default: 10,
        },
        collect: { title: "Result of an item", scope: "body" },
        failures: {
          type: ["string", "number"],
          title: "Tolerated failures",
          description: "“stop”, a number, or a share such as 10%.",
        },
      },
      ["items"],
    ),
  },
  {
    type: "repeat@1",
    title: "Repeat",
    description: "Runs its body again and again, until a condition holds.",
    category: FLOW,
    icon: "loop",
    params: object(
      {
        until: {
          ...condition("Until", "Asked at the end of each round, such as nodes.poll.output.done."),
          scope: "body",
        },
        pause: duration("Pause", "Time between two rounds."),
        max: { type: "integer", title: "At most", minimum: 1, maximum: 10_000, default: 100 },
        collect: { title: "Result of a round", scope: "body" },
      },
      ["until"],
    ),
  },
  {
    type: "end@1",
    title: "End",
    description: "Ends this way, with an output.",
    category: FLOW,
    icon: "flag",
    params: object({
      output: { title: "Output" },
      terminate: { type: "boolean", title: "End the whole run at once" },
    }),
    output: {},
    handles: [],
    isPure: true,
  },
];

/** Types whose nodes contain others. */
export const isLoop = (type: string): boolean => /^(?:for_each|repeat)@/.test(type);
