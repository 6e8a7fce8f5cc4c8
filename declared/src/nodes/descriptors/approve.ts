import type { NodeDescriptor } from "../descriptor.ts";
import { duration, flag, object, text, whole } from "./parameter-schemas.ts";

export const APPROVE: NodeDescriptor = {
  type: "approve@1",
  title: "Ask for approval",
  description: "Waits until people approve or reject. Its output is what they decided.",
  category: "People",
  icon: "check",
  params: object(
    {
      title: text({ title: "Question", examples: ["Ship the order?"] }),
      description: text({ title: "Description", widget: "textarea" }),
      form: { title: "Form", description: "Schema of what approvers fill in.", widget: "schema" },
      approvers: {
        type: "array",
        items: { type: "string" },
        title: "Approvers",
        description: "Groups or people who may decide. Default: everyone who may decide.",
      },
      quorum: whole({ title: "Quorum", description: "How many must approve.", default: 1 }),
      excludeStarter: flag({
        title: "Exclude the starter",
        description: "The user who started the run can't decide.",
      }),
      timeout: duration({ title: "Timeout", description: "Default: no limit.", examples: ["2d"] }),
    },
    ["title"],
  ),
  handles: ["approved", "rejected", "timeout"],
  effects: "none",
  waits: true,
  isCall: false,
};
