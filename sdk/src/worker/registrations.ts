/** Registrations of workflows by workers: the defaults of runs, and the JSON Schema of their input. */
import type { StandardJSONSchemaV1 } from "@standard-schema/spec";
import { messageOf } from "../core/error-record.ts";
import type { Workflow } from "../definition/workflow.ts";
import { type Registration, TOOL_KEYWORD } from "../protocol/workflows.ts";

/** Schemas of libraries are asked for this draft. */
const TARGET = "draft-2020-12";
/** As in `queue.workflow_register`. */
const LARGEST_SCHEMA_BYTES = 65_536;

/**
 * @param onTrouble Gets an error for each schema that is left out. Only forms need it, so the worker starts all the same.
 */
export const registrationsOf = (
  workflows: readonly Workflow[],
  onTrouble: (error: unknown) => void,
): Registration[] =>
  workflows.map((workflow) => ({
    name: workflow.name,
    version: workflow.version,
    retentionDays: workflow.retentionDays,
    deadlineMs: workflow.deadlineMs,
    onFailure: workflow.onFailure?.name,
    inputSchema: inputSchemaOf(workflow, onTrouble),
  }));

/** Undefined without a schema, if its library doesn't convert to JSON Schema, and after trouble. */
function inputSchemaOf(
  { name, version, input, expose }: Workflow,
  onTrouble: (error: unknown) => void,
): Registration["inputSchema"] {
  if (input === undefined) return undefined;
  try {
    const { jsonSchema } = input["~standard"] as Partial<StandardJSONSchemaV1.Props>;
    if (typeof jsonSchema?.input !== "function") {
      if (expose === undefined) return undefined;
      throw new TypeError("its library converts none");
    }
    const schema = asJson(jsonSchema.input({ target: TARGET }));
    return expose === undefined ? schema : asJson({ ...schema, [TOOL_KEYWORD]: expose });
  } catch (cause) {
    const reason = messageOf(cause);
    onTrouble(
      new Error(
        `Forms for starts of workflow "${name}" version ${version} take JSON${expose === undefined ? "" : ", and it is no tool"}, because its input schema is not registered: ${reason}`,
        { cause },
      ),
    );
    return undefined;
  }
}

/** A copy, since annotations may be of any kind. */
function asJson(converted: unknown): Registration["inputSchema"] {
  const text = JSON.stringify(converted) as string | undefined;
  if (text?.startsWith("{") !== true) {
    throw new TypeError("its library converts it to something other than an object");
  }
  const bytes = Buffer.byteLength(text);
  if (bytes > LARGEST_SCHEMA_BYTES) {
    throw new RangeError(
      `as JSON Schema it has ${bytes} bytes, and at most ${LARGEST_SCHEMA_BYTES} are registered`,
    );
  }
  return JSON.parse(text) as Registration["inputSchema"];
}
