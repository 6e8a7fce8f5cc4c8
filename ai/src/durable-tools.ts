/**
 * Calls of tools as journaled steps.
 *
 *   T1  A call is one step, named by the tool and its toolCallId. A replay gets the result from the journal.
 *   T2  A tool that fails rejects with its own error, after the attempts of the step: the model gets it as the result.
 */
import type { Context, Duration, RetryOptions, StepTransaction } from "@oxbow/sdk/runtime";
import { InvalidArgument } from "@oxbow/sdk/runtime";
import { checkOptions, type OptionNames } from "@oxbow/sdk/internal/ai";
import type { Tool, ToolSet } from "ai";
import { approvalOf, requireApproval } from "./approval.ts";
import { causeOf } from "./failures.ts";
import { sorted } from "./sorted.ts";
import { nextStepName } from "./step-names.ts";

/** How the calls of one tool are made. */
export interface DurableToolOptions {
  /**
   * Calls the tool in a transaction on the database of Oxbow that commits together with the journal: its SQL takes effect
   * exactly once. The tool gets the transaction by `txOf`. Default false.
   */
  readonly tx?: boolean;
  /** How often a call is tried. Default: the workflow's `retry`. */
  readonly retry?: RetryOptions;
  /** Limit of one call. Default: no limit. */
  readonly timeout?: Duration;
}

const OPTIONS: OptionNames<DurableToolOptions> = { tx: true, retry: true, timeout: true };

type Execute = (input: unknown, call: ToolCall) => unknown;
/** The second argument of the tool's `execute`, as far as it is used here. */
type ToolCall = Parameters<NonNullable<Tool["execute"]>>[1];

const TX = Symbol("tx");

/**
 * Returns the transaction of a tool with `tx: true`, from the second argument of its `execute`.
 *
 * @throws InvalidArgument if the tool is called without one.
 * @example
 * execute: ({ sum }, call) => txOf(call).query("update account set balance = balance - $1", [sum])
 */
export function txOf(call: object): StepTransaction {
  const { [TX]: tx } = call as { readonly [TX]?: StepTransaction };
  if (tx !== undefined) return tx;
  throw new InvalidArgument(
    "This call of a tool has no transaction: set tx to true for the tool in durableTools().",
  );
}

/**
 * Makes each call of these tools a step of the run. Tools without `execute`, which the provider or the page calls, stay as
 * they are. A tool that asks a durable model itself, such as another agent, must not be among them: a step contains no steps.
 *
 * @param options By the name of the tool.
 * @throws InvalidArgument for a tool without a name, or an invalid option.
 * @example
 * const tools = durableTools(ctx, { search, transfer }, { transfer: { tx: true } });
 */
export function durableTools<Tools extends ToolSet>(
  ctx: Pick<Context, "step">,
  tools: Tools,
  options: { readonly [Name in keyof Tools]?: DurableToolOptions } = {},
): Tools {
  for (const name of Object.keys(options)) {
    if (tools[name] === undefined)
      throw new InvalidArgument(`durableTools() has no tool "${name}".`);
  }
  const durable = Object.entries(tools).map(([name, tool]) => {
    if (name.trim() === "") {
      throw new InvalidArgument(
        `durableTools() got a tool without a name: its key is ${JSON.stringify(name)}.`,
      );
    }
    return [name, durableTool(ctx, name, tool, options[name] ?? {})];
  });
  return Object.fromEntries(durable) as Tools;
}

function durableTool(
  ctx: Pick<Context, "step">,
  name: string,
  tool: ToolSet[string],
  options: DurableToolOptions,
): ToolSet[string] {
  checkOptions(options, OPTIONS, `the tool "${name}" of durableTools()`);
  const asked = approvalOf(tool);
  const execute = (asked === undefined ? tool.execute : asked.execute) as Execute | undefined;
  if (execute === undefined) return tool;
  const { tx: isTx = false, ...stepOptions } = options;
  const call = async (input: unknown, given: ToolCall): Promise<unknown> => {
    const { toolCallId } = given;
    if (asked !== undefined) await requireApproval(ctx, { name, toolCallId, input }, asked.options);
    const step = nextStepName(ctx, name, toolCallId);
    const perform = (abortSignal: AbortSignal, tx?: StepTransaction): Promise<unknown> =>
      lastOf(execute(input, { ...given, abortSignal, ...(tx && { [TX]: tx }) }));
    try {
      const output = isTx
        ? await ctx.step.tx(step, (tx, signal) => perform(signal, tx), stepOptions)
        : await ctx.step.run(step, (signal) => perform(signal), stepOptions);
      return sorted(output);
    } catch (error) {
      throw causeOf(error);
    }
  };
  return { ...tool, execute: call } as ToolSet[string];
}

/** A tool may yield preliminary results; the last one is its result. */
async function lastOf(result: unknown): Promise<unknown> {
  const awaited = await result;
  if (typeof awaited !== "object" || awaited === null || !(Symbol.asyncIterator in awaited)) {
    return awaited;
  }
  let last: unknown;
  for await (const each of awaited as AsyncIterable<unknown>) last = each;
  return last;
}
