/** `js@1`: code of end users, in the sandbox (K1–K5 in sandbox.ts). */
import { createHash } from "node:crypto";
import { availableParallelism } from "node:os";
import { formatDuration, parseDuration } from "@oxbow/sdk/internal/declared";
import { NonRetriableError } from "@oxbow/sdk/runtime";
import type { JsonSchema } from "../document/document.ts";
import type { Json } from "../document/json.ts";
import { Sandbox } from "../sandbox/sandbox.ts";
import type { LogLine, SandboxJob, ThrownError } from "../sandbox/sandbox-job.ts";
import { SandboxLimit } from "../sandbox/sandbox-limit-error.ts";
import { differenceFromSchema } from "../types/conformance.ts";
import { JS } from "./descriptors/js.ts";
import { type NodeCall, type NodeType, nodeTypeOf } from "./node-type.ts";

/** Threads of the sandbox. */
export interface JsOptions {
  /** Calls at the same time, a thread each. Default: as many as the machine has processors, and at most 4. */
  readonly threads?: number;
}

interface Parameters {
  readonly input?: Json;
  readonly code: string;
  readonly output?: JsonSchema;
  readonly time?: number | string;
  readonly memory?: number;
}

const DEFAULT_THREADS = 4;
const DEFAULT_TIME = "1s";
const LONGEST_TIME_MS = 10_000;
const DEFAULT_MEMORY = 32;
const MEGABYTE = 1_048_576;
const FIXED_LIMITS = {
  sourceBytes: 65_536,
  stackBytes: 262_144,
  outputBytes: MEGABYTE,
  logLines: 100,
  logLineChars: 1_000,
} as const;

/** The code of a node threw, or returned what it can't. */
class CodeFailed extends Error {
  readonly code = "CODE_FAILED";

  constructor({ name, message, stack }: ThrownError) {
    super(name === "" || name === "Error" || name === "NonError" ? message : `${name}: ${message}`);
    this.name = "CodeFailed";
    // The author of the code can use only lines of that code, not of the handler.
    this.stack = `${this.name}: ${this.message}\n${stack}`;
  }
}

/**
 * Makes the node type `js@1` with separate threads. Without it, all workers of a process share the default ones.
 *
 * @throws RangeError
 */
export function js({
  threads = Math.min(DEFAULT_THREADS, availableParallelism()),
}: JsOptions = {}): NodeType {
  if (!Number.isSafeInteger(threads) || threads < 1) {
    throw new RangeError(`Invalid number of threads ${threads}: give a whole number from 1.`);
  }
  const sandbox = new Sandbox(threads);
  return nodeTypeOf(JS, {
    kind: "run",
    run: (call) => execute(sandbox, call as NodeCall<Parameters>),
  });
}

async function execute(
  sandbox: Sandbox,
  { params, idempotencyKey, signal, log }: NodeCall<Parameters>,
): Promise<Json> {
  const end = await sandbox
    .run(jobOf(params, idempotencyKey), signal)
    .catch((error: unknown) => fail(error));
  write(end.log, log);
  if (end.kind === "threw") throw permanent(new CodeFailed(end.error));
  const output = JSON.parse(end.output) as Json;
  if (params.output === undefined) return output;
  const difference = differenceFromSchema(output, params.output);
  if (difference === undefined) return output;
  const message = `the output isn't of its schema: ${difference}`;
  throw permanent(new CodeFailed({ name: "", message, stack: "" }));
}

function jobOf(
  { code, input = null, time = DEFAULT_TIME, memory = DEFAULT_MEMORY }: Parameters,
  key: string,
): SandboxJob {
  const timeMs = parseDuration(time, "the time limit of the code");
  if (timeMs < 1 || timeMs > LONGEST_TIME_MS) {
    throw new NonRetriableError(
      `Invalid time limit ${JSON.stringify(time)}: give at most ${formatDuration(LONGEST_TIME_MS)}.`,
    );
  }
  const hash = createHash("sha256").update(key).digest();
  const [group = ""] = key.split(":");
  return {
    group,
    code,
    input: JSON.stringify(input),
    seed: [0, 4, 8, 12].map((at) => hash.readUInt32LE(at)) as unknown as SandboxJob["seed"],
    now: Date.now(),
    limits: { ...FIXED_LIMITS, timeMs, memoryBytes: memory * MEGABYTE },
  };
}

function write(lines: readonly LogLine[], log: NodeCall["log"]): void {
  for (const { level, text } of lines) log[level](text);
}

/** Code that took too long on a busy machine may be in time later; other limits are the same each time. */
function fail(error: unknown): never {
  throw error instanceof SandboxLimit && error.limit !== "time" ? permanent(error) : error;
}

const permanent = (cause: Error): NonRetriableError =>
  new NonRetriableError(cause.message, { cause });
