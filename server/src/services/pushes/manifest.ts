/** The list of workflows that an endpoint serves, checked: a function in any language may have written it. */
import { type EndpointManifest, PUSH_PROTOCOL } from "@oxbow/sdk/internal/server";
import { type TSchema, Type } from "typebox";
import { compileValidator } from "../../http/compiled-schemas.ts";
import { Closed, Positive, WorkflowName } from "../../http/schemas.ts";

/** The workflows of an endpoint, or why they are unknown. */
export type CheckAnswer =
  | { readonly manifest: EndpointManifest }
  | { readonly manifest?: undefined; readonly detail: string };

const Manifest = Type.Object({
  protocol: Type.Integer(),
  maxDurationMs: Type.Integer({ minimum: 2_000, maximum: 43_200_000 }),
  sdkVersion: Type.Optional(Type.String({ maxLength: 40 })),
  workflows: Type.Array(
    Closed({
      name: WorkflowName,
      version: Positive,
      retentionDays: Type.Optional(Type.Integer({ minimum: 0, maximum: 36_500 })),
      deadlineMs: Type.Optional(Type.Number({ minimum: 1, maximum: 1e13 })),
      onFailure: Type.Optional(WorkflowName),
      inputSchema: Type.Optional(Type.Object({}, { additionalProperties: true })),
      flowControl: Type.Optional(Type.Object({}, { additionalProperties: true })),
    }),
    { minItems: 1, maxItems: 1_000 },
  ),
});

const validate = compileValidator({ schema: Manifest as TSchema, httpPart: "body" });

export function readManifest(text: string): CheckAnswer {
  let manifest: unknown;
  try {
    manifest = JSON.parse(text);
  } catch {
    return { detail: "It does not answer with JSON." };
  }
  const verdict = validate(manifest);
  if (verdict !== true) {
    const [first] = verdict.error;
    const { instancePath = "", message = "" } = first ?? {};
    return {
      detail: `Its list of workflows is invalid: ${instancePath || "the answer"} ${message}.`,
    };
  }
  const { protocol } = manifest as EndpointManifest;
  if (protocol !== PUSH_PROTOCOL) {
    return {
      detail: `It speaks protocol ${protocol}, and this server ${PUSH_PROTOCOL}: deploy it with the SDK of the server's version.`,
    };
  }
  return { manifest: manifest as EndpointManifest };
}
