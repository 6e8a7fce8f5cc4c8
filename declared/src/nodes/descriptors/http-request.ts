import type { JsonObject } from "../../document/json.ts";
import type { NodeDescriptor } from "../descriptor.ts";
import { any, object, oneOf, text } from "./parameter-schemas.ts";

const secret = (annotations: JsonObject): JsonObject => text({ widget: "secret", ...annotations });

export const HTTP_REQUEST: NodeDescriptor = {
  type: "http.request@1",
  title: "HTTP request",
  description:
    "Sends a request to a public address. It succeeds with a status of 2xx, or one of `accept`. Each attempt has the same `Idempotency-Key`.",
  category: "Network",
  icon: "globe",
  params: object(
    {
      url: text({ title: "URL", examples: ["https://api.example.com/orders"] }),
      method: oneOf(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"], {
        title: "Method",
        default: "GET",
      }),
      query: {
        type: "object",
        additionalProperties: { type: ["string", "number", "boolean"] },
        title: "Query",
        description: "Added to the URL.",
      },
      headers: {
        type: "object",
        additionalProperties: { type: "string" },
        title: "Headers",
        examples: [{ accept: "application/json" }],
      },
      auth: {
        type: "object",
        title: "Authentication",
        description: 'One of three kinds. Secrets are given as `{"$secret": name}`.',
        additionalProperties: false,
        minProperties: 1,
        maxProperties: 1,
        properties: {
          bearer: secret({ title: "Bearer token" }),
          basic: object(
            { username: text({ title: "User" }), password: secret({ title: "Password" }) },
            ["username", "password"],
          ),
          header: object({ name: text({ title: "Header" }), value: secret({ title: "Value" }) }, [
            "name",
            "value",
          ]),
        },
        examples: [{ bearer: { $secret: "stock" } }],
      },
      body: any({
        title: "Body",
        description: "Sent as JSON; text with a header `content-type` of its own is sent as it is.",
        showIf: { method: ["POST", "PUT", "PATCH", "DELETE"] },
      }),
      accept: {
        type: "array",
        items: { type: "integer", minimum: 300, maximum: 599 },
        title: "Accepted statuses",
        description: "Statuses besides 2xx with which the node succeeds.",
        examples: [[404]],
        group: "Response",
      },
      response: {
        title: "Schema of the response",
        description:
          "JSON Schema of the body. Other nodes read the body by it, and a body that differs fails the node.",
        widget: "schema",
        group: "Response",
      },
    },
    ["url"],
  ),
  output: object(
    {
      status: { type: "integer" },
      headers: { type: "object", additionalProperties: { type: "string" } },
      body: { $from: "params.response" },
    },
    ["status", "headers", "body"],
  ),
  handles: ["out"],
  effects: "writes",
  timeout: "30s",
};
