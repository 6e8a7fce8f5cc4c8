/** Test runs of definitions: what they execute, and what they begin with. */
import { InvalidArgument } from "@oxbow/sdk";
import { toStorableText, checkWorkflowName, RunHandle } from "@oxbow/sdk/internal/rooms";
import { type DefinitionTools, requireTestable } from "../protocol/definition-tools.ts";
import type { DefinitionDocument, TestOrigin } from "../protocol/definitions.ts";
import { readTestOrigin } from "../protocol/test-origin.ts";
import type { TestDefinitionNodeOptions, TestNodeOptions } from "./definition-options.ts";
import { type DefinitionParts, findDefinition, needTools, textOf } from "./definition-parts.ts";

/** Starts a test, of all of the document or of one node. */
export async function startTest(
  parts: DefinitionParts,
  name: string,
  input: unknown,
  { document, pins, effects = "mock", ...origin }: TestNodeOptions,
  where: { readonly until?: string | undefined; readonly only?: string; readonly item?: unknown },
): Promise<RunHandle> {
  checkWorkflowName(name);
  const hasOrigin = Object.values(origin).some((value) => value !== undefined);
  // A server can read neither the input nor the results of a run that a codec has encoded.
  const isForServer =
    hasOrigin && parts.calls.definitions.remote !== undefined && parts.codec === undefined;
  const tools = hasOrigin && !isForServer ? needTools(parts, "test()") : parts.tools;
  let given: Pick<TestDefinitionNodeOptions, "input" | "pins"> =
    pins === undefined ? { input } : { input, pins };
  if (tools !== undefined && !isForServer) {
    const tested = document ?? (await findDefinition(parts, name)).draft;
    if (hasOrigin) given = await fromOrigin(parts, tools, name, tested, origin, given);
    requireTestable(tools, tested, { only: where.only, input: given.input });
  }
  const encoded = parts.codec === undefined ? given.input : parts.codec.encode(given.input);
  const { runId } = await parts.calls.definitions.test({
    name,
    document: document && textOf(document, name),
    input: toStorableText(encoded, `the input of a test of "${name}"`),
    pins: given.pins && textOf({ ...given.pins }, name),
    options: JSON.stringify({ ...where, effects }),
    actor: parts.actor,
    ...(isForServer ? { origin } : {}),
  });
  return new RunHandle(
    { transport: parts.transport, codec: parts.codec, events: undefined },
    { runId, created: true, status: "running" },
  );
}

/** What is given counts more than what the event or the run has. */
async function fromOrigin(
  parts: DefinitionParts,
  tools: DefinitionTools,
  name: string,
  document: DefinitionDocument,
  origin: TestOrigin,
  { input, pins }: Pick<TestDefinitionNodeOptions, "input" | "pins">,
): Promise<Pick<TestDefinitionNodeOptions, "input" | "pins">> {
  const codec = parts.codec;
  if (origin.pinResults === true && codec !== undefined) {
    throw new InvalidArgument(
      "pinResults would store the decoded results of the run, because pins are not encoded. Give pins.",
    );
  }
  const found = await readTestOrigin(parts.calls, tools, name, document, origin);
  const own =
    codec === undefined || origin.fromRun === undefined ? found.input : codec.decode(found.input);
  return {
    input: input === undefined ? own : input,
    pins: { ...(found.pins as typeof pins), ...pins },
  };
}
