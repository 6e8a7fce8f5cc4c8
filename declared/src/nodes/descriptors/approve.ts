import type { NodeDescriptor } from "../descriptor.ts";
import { duration, flag, LITERAL, object, text, whole } from "./parameter-schemas.ts";

export const APPROVE: NodeDescriptor = {
  type: "approve@1",
  title: "Ask for approval",
  description:
    "Waits until people approve or reject. Takes `approved` or `rejected` with what they decided as output, or `timeout`.",
  category: "People",
  icon: "check",
  params: object(
    {
      title: text({ title: "Question", examples: ["Ship the order?"] }),
      description: text({ title: "Description", widget: "textarea" }),
      form: {
        type: "object",
        title: "Form",
        description: "JSON Schema of what approvers fill in.",
        widget: "schema",
        ...LITERAL,
      },
      approvers: {
        type: "array",
        items: { type: "string" },
        title: "Approvers",
        description:
          "People and groups who may decide. Default: everyone with the right to decide approvals.",
        examples: [["risk"]],
      },
      quorum: whole({
        title: "Quorum",
        description: "How many must approve.",
        default: 1,
        minimum: 1,
        maximum: 1_000,
      }),
      rejections: whole({
        title: "Rejections",
        description: "How many must reject.",
        default: 1,
        minimum: 1,
        maximum: 1_000,
      }),
      excludeStarter: flag({
        title: "Exclude the starter",
        description: "The person who started the run can't decide.",
      }),
      timeout: duration({ title: "Timeout", description: "Default: no limit.", examples: ["2d"] }),
    },
    ["title"],
  ),
  output: object(
    {
      decision: { enum: ["approved", "rejected"] },
      actor: { type: "string" },
      values: { $from: "params.form" },
      decisions: {
        type: "array",
        items: object(
          {
            actor: { type: "string" },
            decision: { enum: ["approved", "rejected"] },
            values: { type: "object" },
            at: { type: "string" },
          },
          ["actor", "decision", "values", "at"],
        ),
      },
    },
    ["decision", "actor", "values", "decisions"],
  ),
  handles: ["approved", "rejected", "timeout"],
  effects: "none",
  waits: true,
  isCall: false,
};
