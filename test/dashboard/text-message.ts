/** A node type as a user writes it, which everything else derives from. */
import { defineNode, type NodeType } from "@oxbow/declared";

export const sent: unknown[] = [];

export const textMessage: NodeType = defineNode({
  type: "phone.text",
  title: "Send a text message",
  description: "Sends a text message to a phone.",
  category: "Phone",
  icon: "chat",
  params: {
    type: "object",
    required: ["recipient", "text"],
    additionalProperties: false,
    properties: {
      recipient: { type: "string", title: "Recipient", examples: ["+44 20 7946 0018"] },
      text: { type: "string", title: "Text", widget: "textarea" },
      urgency: { enum: ["normal", "high"], title: "Urgency", default: "normal" },
      repeats: {
        type: "integer",
        title: "Repeats",
        minimum: 1,
        maximum: 9,
        showIf: { urgency: "high" },
      },
      sender: { type: "string", title: "Sender", group: "More" },
    },
  },
  output: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
  secrets: ["carrier"],
  run: async ({ params, secret, idempotencyKey }) => {
    sent.push({ params, key: await secret("carrier"), idempotencyKey });
    return { id: `message ${sent.length}` };
  },
});
