import { ValidationFailed } from "@oxbow/sdk";
import {
  type Context,
  type EventSchemas,
  type ServableWorkflow,
  workflow,
} from "@oxbow/sdk/runtime";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { decide } from "@oxbow/sdk/internal";
import { configNamesOf } from "../check/config-names.ts";
import type { Document, JsonSchema } from "../document/document.ts";
import type { Json, JsonObject } from "../document/json.ts";
import type { NodeType } from "../nodes/node-type.ts";
import type { SecretSource } from "../nodes/secrets.ts";
import { issueWithSchema } from "../types/conformance.ts";
import { Interpretation } from "./interpretation.ts";
import { programOf } from "./program.ts";

/** The schema of the input, as workflows in code have theirs. */
function inputSchema(name: string, schema: JsonSchema): StandardSchemaV1<unknown, unknown> {
  return {
    "~standard": {
      version: 1,
      vendor: "oxbow",
      validate: (value) => {
        const issue = issueWithSchema((value ?? null) as Json, schema);
        if (issue === undefined) return { value };
        throw new ValidationFailed(`input of workflow "${name}"`, [issue]);
      },
    },
  };
}

/** Options of `workflowOf`. */
export interface WorkflowOfOptions {
  /** Version of the workflow. Default: 1. */
  readonly version?: number;
  /** Node types besides the built-in ones. */
  readonly nodes?: readonly NodeType[];
  readonly secrets?: SecretSource;
  /**
   * Values of the environment, by the names of `$config`, or a function that returns them. A run journals those that its
   * document names when it begins.
   */
  readonly config?: JsonObject | (() => JsonObject);
}

/** No path of a node has such a name. */
const CONFIG_DECISION = "$config";

/** A workflow whose body is a document. */
export type DeclaredWorkflow = ServableWorkflow<unknown, unknown, EventSchemas>;

/**
 * Makes a workflow of a document. Workers serve it, and clients start it, like any other.
 *
 * @param document Without errors by the checker.
 * @throws UnknownNodeType; InvalidExpression and InvalidParameters for a document that wasn't checked
 * @example
 * const worker = workflowOf(document, { nodes: [slackPost] }).serve({ url });
 */
export function workflowOf(document: Document, options: WorkflowOfOptions = {}): DeclaredWorkflow {
  const { version = 1, nodes = [], secrets, config: given = {} } = options;
  const { names, isComputed } = configNamesOf(document);
  const readsConfig = isComputed || names.size > 0;
  const named = (values: JsonObject): JsonObject =>
    isComputed
      ? values
      : Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  const program = programOf(document, new Map(nodes.map((type) => [type.id, type])));
  const { retention, deadline } = document.settings ?? {};
  return workflow<unknown, unknown>({
    name: document.name,
    version,
    ...(retention === undefined ? {} : { retention }),
    ...(deadline === undefined ? {} : { deadline }),
    ...(document.input === undefined ? {} : { input: inputSchema(document.name, document.input) }),
    run: (ctx: Context, input: unknown) => {
      const run = { id: ctx.runId, started_at: ctx.startedAt, test: false };
      const config = readsConfig
        ? decide(ctx, CONFIG_DECISION, () => named(typeof given === "function" ? given() : given))
        : {};
      return new Interpretation(ctx, program, { input: input ?? null, config, run }, secrets).run();
    },
  });
}
