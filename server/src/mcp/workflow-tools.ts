/**
 * Workflows that are offered as tools: a call starts a run, and waits for its end.
 *
 * A run does not depend on the call: if the client leaves, or the wait is over, it continues, and get_run has its result.
 */
import { definitionTools } from "@oxbow/declared";
import { declaredIn, requireInput } from "@oxbow/declared/internal";
import {
  followRun,
  type RunRecord,
  type StartRequest,
  type Transport,
  type WorkflowTool,
} from "@oxbow/sdk/internal/server";
import { Ajv2020, type ErrorObject, type ValidateFunction } from "ajv/dist/2020.js";
import addFormats from "ajv-formats";
import { endOf } from "../http/run-end.ts";
import { toRequiredText } from "../http/values.ts";
import { LONGEST_OUTPUT_BYTES, payload } from "./payloads.ts";
import type { Operator } from "./tool.ts";
import { ToolFailure } from "./tool-failure.ts";

/** No other tool begins so. */
const PREFIX = "run_";
/** Shorter than clients wait for an answer by default. */
const WAIT_MS = 45_000;
/** Notifications of progress are at least so far apart. */
const PROGRESS_MS = 500;
const LONGEST_KEY = 512;

type Schema = WorkflowTool["inputSchema"];

/** The request around the arguments of a call. */
export interface CallRequest {
  readonly signal: AbortSignal;
  readonly idempotencyKey: unknown;
  /** Undefined if the client takes no notifications of progress. */
  readonly onProgress: ((progress: number, message: string) => Promise<void>) | undefined;
}

/** The end of a run, or that it has not come within the wait. */
export class Outcome {
  readonly result: object;
  readonly isError: boolean;

  constructor(result: object, isError: boolean) {
    this.result = result;
    this.isError = isError;
  }
}

export const isExposedName = (name: string): boolean => name.startsWith(PREFIX);

/** As a client lists them. */
export interface ListedTool {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: { readonly type: "object" };
  readonly annotations: Readonly<
    Record<"readOnlyHint" | "destructiveHint" | "idempotentHint" | "openWorldHint", boolean>
  >;
}

export async function listExposed({
  transport,
}: Pick<Operator, "transport">): Promise<ListedTool[]> {
  const exposed = await transport.workflows.tools();
  return exposed.map(({ workflow, description, inputSchema }) => ({
    name: `${PREFIX}${workflow}`,
    title: `Run ${workflow}`,
    description: `${description ?? `Runs the workflow ${workflow}.`}\n\nStarts a run and waits for its end, for ${WAIT_MS / 1_000} seconds at most. A longer run continues: get_run returns its result.`,
    inputSchema: schemaOfArguments(inputSchema),
    annotations: {
      readOnlyHint: false,
      destructiveHint: true,
      idempotentHint: false,
      openWorldHint: true,
    },
  }));
}

/** Arguments are an object; other inputs are its member `input`. */
const schemaOfArguments = (schema: Schema): { readonly type: "object" } =>
  takesObject(schema) ? { ...schema, type: "object" } : wrapped(schema);

function wrapped({ $schema, ...schema }: Schema): { readonly type: "object" } {
  const wrapper = {
    type: "object",
    properties: { input: schema },
    required: ["input"],
    additionalProperties: false,
  } as const;
  return $schema === undefined ? wrapper : Object.assign(wrapper, { $schema });
}

const takesObject = (schema: Schema): boolean =>
  schema["type"] === "object" || Object.keys(schema).length === 0;

const checker = definitionTools();

/** @throws ToolFailure if there is no such tool, or the arguments don't match its schema; ValidationFailed by a definition. */
export async function runExposed(
  name: string,
  given: unknown,
  operator: Operator,
  request: CallRequest,
): Promise<Outcome> {
  const { transport } = operator;
  const exposed = await transport.workflows.tools();
  const tool = exposed.find(({ workflow }) => name === `${PREFIX}${workflow}`);
  if (tool === undefined) {
    const names = exposed.map(({ workflow }) => `${PREFIX}${workflow}`).join(", ");
    const others =
      names === "" ? "No workflow is offered as a tool." : `Workflows are offered as ${names}.`;
    throw new ToolFailure(`There is no tool "${name.slice(0, 80)}". ${others}`);
  }
  const { inputSchema, isDefinition, workflow } = tool;
  const values: unknown = given ?? {};
  const input = takesObject(inputSchema) ? values : (values as { readonly input?: unknown }).input;
  if (isDefinition) {
    // Its author may be a customer, so its schema is not compiled: a pattern could take for ever.
    const { definitions } = declaredIn(transport);
    await requireInput(checker, definitions, { name: workflow, version: undefined, input });
  } else checkArguments(name, inputSchema, values);
  const { runId } = await start(transport, tool, {
    input: toRequiredText(input, "the input"),
    idempotencyKey: checkKey(request.idempotencyKey),
  });
  const { runs } = transport;
  const { signal: client, onProgress } = request;
  const run = await endOf(
    runs,
    runId,
    WAIT_MS,
    [client, operator.stopping],
    onProgress && ((signal) => followToEnd(runs, runId, signal, onProgress)),
  );
  return outcomeOf(runId, run);
}

function checkKey(key: unknown): string | undefined {
  if (key === undefined) return undefined;
  if (typeof key === "string" && key !== "" && key.length <= LONGEST_KEY) return key;
  throw new ToolFailure(
    `Invalid idempotency key in _meta: give a text of 1 to ${LONGEST_KEY} characters.`,
  );
}

function start(
  transport: Transport,
  { workflow, isDefinition }: WorkflowTool,
  given: Pick<StartRequest, "input" | "idempotencyKey">,
): Promise<{ readonly runId: string }> {
  const request = { workflow, ...given };
  // A definition that is paused refuses it.
  return isDefinition
    ? declaredIn(transport).definitions.start(request)
    : transport.runs.start(request);
}

async function followToEnd(
  runs: Transport["runs"],
  runId: string,
  signal: AbortSignal,
  onProgress: NonNullable<CallRequest["onProgress"]>,
): Promise<RunRecord | undefined> {
  let steps = 0;
  let last = "";
  let reported = 0;
  let reportedAt = Number.NEGATIVE_INFINITY;
  const report = async (): Promise<void> => {
    if (steps === reported || performance.now() - reportedAt < PROGRESS_MS) return;
    reported = steps;
    reportedAt = performance.now();
    const count = steps === 1 ? "1 step" : `${steps} steps`;
    await onProgress(steps, `${count} of run ${runId} done, the last one "${last}"`);
  };
  for await (const event of followRun({ runs }, runId, 0, signal)) {
    if (event.type === "step") {
      steps += 1;
      last = event.step.name;
    }
    // The result follows immediately.
    if (event.type === "end") return event.run;
    await report();
  }
  return undefined;
}

function outcomeOf(runId: string, run: RunRecord | undefined): Outcome {
  if (run === undefined) throw new ToolFailure(`Run ${runId} was deleted.`);
  const { status, output, error, activity } = run;
  if (status === "completed")
    return new Outcome({ runId, status, output: payload(output, LONGEST_OUTPUT_BYTES) }, false);
  if (status !== "running") return new Outcome({ runId, status, error: payload(error) }, true);
  return new Outcome(
    {
      runId,
      status,
      activity,
      next: `The run continues. Call get_run with runId ${runId} for its result, or explain_run to find out what it waits for.`,
    },
    false,
  );
}

function checkArguments(name: string, schema: Schema, values: unknown): void {
  const validate = validatorOf(schema);
  // The run itself checks its input, too.
  if (validate === undefined || validate(values)) return;
  const [{ instancePath, message = "is invalid" }] = validate.errors as [ErrorObject];
  const place = instancePath === "" ? "the arguments" : `argument ${instancePath.slice(1)}`;
  throw new ToolFailure(`Invalid ${place} of ${name}: ${message}. No run was started.`);
}

const MOST_VALIDATORS = 100;
const validators = new Map<string, ValidateFunction | undefined>();

/** Undefined if the schema is not one that can be checked. */
function validatorOf(schema: Schema): ValidateFunction | undefined {
  const text = JSON.stringify(schema);
  if (validators.has(text)) return validators.get(text);
  let validate: ValidateFunction | undefined;
  try {
    const ajv = new Ajv2020({ strict: false, allErrors: false, logger: false });
    addFormats.default(ajv);
    validate = ajv.compile(schemaOfArguments(schema));
  } catch {
    validate = undefined;
  }
  validators.set(text, validate);
  const [oldest = ""] = validators.keys();
  if (validators.size > MOST_VALIDATORS) validators.delete(oldest);
  return validate;
}
