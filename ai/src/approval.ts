/** Tools that run only when people have approved. */
import type { Context, Duration } from "@oxbow/sdk/runtime";
import { InvalidArgument, NonRetriableError } from "@oxbow/sdk/runtime";
import {
  APPROVAL,
  type ApprovalRequest,
  AT_TIMEOUT,
  checkOptions,
  type OptionNames,
  parseDuration,
} from "@oxbow/sdk/internal/ai";
import type { Tool } from "ai";
import { storable } from "./journal-form.ts";
import { nextStepName } from "./step-names.ts";

/** The question of `approval`, and who decides. */
export interface ApprovalOptions<Input = unknown> {
  /** How long to wait; then the tool counts as refused. Default: no limit. */
  readonly timeout?: Duration;
  /** The question. Default: the name of the tool. */
  readonly title?: string | ((input: Input) => string);
  /** People and groups who may approve. Default: everyone with the right to decide approvals. */
  readonly approvers?: readonly string[];
}

const OPTION_NAMES: OptionNames<ApprovalOptions> = { timeout: true, title: true, approvers: true };
const OPTIONS = Symbol("approval");

/**
 * Makes a tool for `durableTools` ask people first: each call requests an approval of the run, which is decided in the
 * dashboard, by REST, by a link, or by `client.approvals`. The run waits without a worker. If it is refused, the model gets
 * that as the error of the tool.
 *
 * @throws InvalidArgument for an invalid option.
 * @example
 * const tools = durableTools(ctx, { refund: approval(refund, { timeout: "2d" }) });
 */
export function approval<Given extends Tool>(
  tool: Given,
  options: ApprovalOptions<Given extends Tool<infer Input> ? Input : unknown> = {},
): Given {
  checkOptions(options, OPTION_NAMES, "approval()");
  checkApproval(options, "approval()");
  return { ...tool, execute: refuse, [OPTIONS]: { options, execute: tool.execute } };
}

/** @param what Names the owner of the options in an error. */
export function checkApproval(
  { timeout, approvers }: Pick<ApprovalOptions, "timeout" | "approvers">,
  what: string,
): void {
  if (timeout !== undefined) parseDuration(timeout, `the timeout of ${what}`);
  if (approvers !== undefined && !isListOfNames(approvers)) {
    throw new InvalidArgument(
      `Invalid approvers ${JSON.stringify(approvers)} of ${what}: give a list of names.`,
    );
  }
}

const refuse = (): never => {
  throw new NonRetriableError("A tool with approval() works only within durableTools().");
};

const isListOfNames = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.length > 0 &&
  value.every((name) => typeof name === "string" && name !== "");

interface Marked {
  readonly options: ApprovalOptions;
  readonly execute: Tool["execute"];
}

/** The options that `approval` gave a tool, with what it executes once approved. */
export const approvalOf = (tool: object): Marked | undefined =>
  (tool as { readonly [OPTIONS]?: Marked })[OPTIONS];

/** Asks people in a step of this name, and waits. Resolves with undefined once approved, and otherwise with how it was not. */
export async function askPeople(
  { step }: Pick<Context, "step">,
  name: string,
  {
    title,
    input,
    timeout,
    approvers,
  }: Omit<ApprovalOptions, "title"> & { readonly title: string; readonly input: unknown },
): Promise<string | undefined> {
  const request: ApprovalRequest = {
    title: storable(title.slice(0, LONGEST_TITLE)) || name,
    description: storable(JSON.stringify(input, null, 2).slice(0, LONGEST_DESCRIPTION)),
    ...(approvers === undefined ? {} : { approvers }),
  };
  const options = {
    ...(timeout === undefined ? {} : { timeout }),
    [AT_TIMEOUT]: TIMEOUT,
    [APPROVAL]: request,
  };
  const decided: unknown = await step.waitForEvent(name, options);
  if (decided === TIMEOUT) return "not approved in time";
  const { decision, actor } = decided as { readonly decision: string; readonly actor?: string };
  return decision === "approved" ? undefined : `refused by ${actor ?? "somebody"}`;
}

/** Resolves when people have approved a call of a tool, and rejects when they have refused, or at the timeout. */
export async function requireApproval(
  ctx: Pick<Context, "step">,
  call: { readonly name: string; readonly toolCallId: string; readonly input: unknown },
  { title = `Call the tool ${call.name}?`, ...options }: ApprovalOptions,
): Promise<void> {
  const refusal = await askPeople(ctx, nextStepName(ctx, `approve ${call.name}`, call.toolCallId), {
    ...options,
    title: typeof title === "string" ? title : title(call.input),
    input: call.input,
  });
  if (refusal !== undefined) throw new Error(`The call of ${call.name} was ${refusal}.`);
}

/** The database takes 128 KiB with all. */
const LONGEST_TITLE = 1_000;
const LONGEST_DESCRIPTION = 8_000;

/** Differs from every decision. */
const TIMEOUT = Symbol("timeout");
