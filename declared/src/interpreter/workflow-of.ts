import { ValidationFailed } from "@oxbow/sdk";
import {
  type Context,
  type EventSchemas,
  type ServableWorkflow,
  workflow,
} from "@oxbow/sdk/runtime";
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { decide, itemsOf } from "@oxbow/sdk/internal/declared";
import { configNamesOf } from "../check/config-names.ts";
import type { Document, JsonSchema } from "../document/document.ts";
import { type Json, type JsonObject, present } from "../document/json.ts";
import type { NodeType } from "../nodes/node-type.ts";
import type { SecretSource } from "../nodes/secrets.ts";
import { issueWithSchema } from "../types/conformance.ts";
import { Interpretation, type Surroundings } from "./interpretation.ts";
import { readItem } from "./item-input.ts";
import { programOf, programOfItem } from "./program.ts";
import type { TestPlan } from "./test-plan.ts";

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

/** Options of the workflow of a definition. */
export interface DefinedWorkflowOptions extends WorkflowOfOptions {
  /** Lists requests that are not sent; returns undefined if the database was no sandbox when the run was received. */
  readonly capture?: () => Surroundings["capture"];
  /** Plan of a test run, whose version no other run has. */
  readonly test?: TestPlan;
}

/** No path of a node has such a name. */
export const CONFIG_DECISION = "$config";

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
  return definedWorkflowOf(document, options);
}

export function definedWorkflowOf(
  document: Document,
  { version = 1, nodes = [], secrets, config: given = {}, capture, test }: DefinedWorkflowOptions,
): DeclaredWorkflow {
  const { names, isComputed } = configNamesOf(document);
  const readsConfig = isComputed || names.size > 0;
  const named = (values: JsonObject): JsonObject =>
    isComputed
      ? values
      : Object.fromEntries(Object.entries(values).filter(([name]) => names.has(name)));
  const program = programOf(document, new Map(nodes.map((type) => [type.id, type])), test, version);
  const { retention, deadline } = document.settings ?? {};
  const schema = test?.only === undefined ? document.input : undefined;
  const pinned = test?.only === undefined ? {} : pinnedVariables(document, test, test.only);
  return workflow<unknown, unknown>({
    name: document.name,
    version,
    ...present({ retention, deadline }),
    ...(schema === undefined ? {} : { input: inputSchema(document.name, schema) }),
    run: (ctx: Context, input: unknown) => {
      const run = { id: ctx.runId, started_at: ctx.startedAt, test: test !== undefined };
      const surroundings = { secrets, capture: capture?.() };
      if (itemsOf(ctx).isItem) {
        const item = readItem(input);
        const own = programOfItem(program, item);
        return new Interpretation(ctx, own, { ...item.variables, run }, surroundings, item).run();
      }
      const config = readsConfig
        ? decide(ctx, CONFIG_DECISION, () => named(typeof given === "function" ? given() : given))
        : {};
      const variables = { input: input ?? null, config, run, ...pinned };
      return new Interpretation(ctx, program, variables, surroundings).run();
    },
  });
}

/** Values of other nodes that a node can read when it is tested without them. */
function pinnedVariables(
  { nodes }: Document,
  { pins, item }: TestPlan,
  only: string,
): Readonly<Record<string, unknown>> {
  const loop = nodes[only]?.parent;
  const inLoop = item === undefined ? { index: 0 } : { item, index: 0 };
  return {
    nodes: Object.fromEntries(
      Object.entries(pins)
        .filter(([id]) => id !== only)
        .map(([id, { error, output = null }]) => [
          id,
          error === undefined ? { output } : { error },
        ]),
    ),
    ...(loop === undefined ? {} : { ...inLoop, loops: { [loop]: inLoop } }),
  };
}
