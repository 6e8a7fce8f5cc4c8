/**
 * The conversation of a run, of its input and its journal: what users wrote, what models answered, and the tools that they
 * called. A model may return anything, and inputs have any form: what isn't understood is left out.
 */
import type { Approval } from "../../../api/approvals.ts";
import type { Run, Step } from "../../../api/runs.ts";
import { isModelCall } from "../model-calls.ts";

export interface Entry {
  readonly key: string;
  /** As in the message, such as `user`. */
  readonly role: string;
  readonly parts: readonly Part[];
  /** Only answers in this run have one. */
  readonly call?: Call;
}

export type Part =
  | { readonly kind: "text" | "reasoning"; readonly text: string }
  | { readonly kind: "file"; readonly text: string }
  | { readonly kind: "tool"; readonly tool: ToolCall }
  | { readonly kind: "approval"; readonly approval: Approval };

export type ToolState = "done" | "failed" | "rejected" | "waiting" | "executing" | "no result";

export interface ToolCall {
  readonly name: string;
  readonly input: unknown;
  readonly state: ToolState;
  readonly output?: unknown;
  readonly error?: unknown;
  /** The request that it waits for, or waited for. */
  readonly approval?: Approval | undefined;
}

/** A call of a model. */
export interface Call {
  readonly model?: string | undefined;
  readonly inputTokens?: number | undefined;
  readonly outputTokens?: number | undefined;
  readonly cost?: number | undefined;
  /** It failed for good. */
  readonly error?: unknown;
}

type Members = Readonly<Record<string, unknown>>;

export function entriesOf(
  run: Run,
  steps: readonly Step[],
  approvals: readonly Approval[],
): Entry[] {
  const journal = new Journal(run.status === "running", steps, approvals);
  const before = messagesIn(run.input).map((message, n) => entryOf(message, `input ${n}`));
  const since = steps.flatMap((step): Entry[] => {
    const key = `step ${step.position}`;
    if (isModelCall(step)) return [answerOf(step, key, journal)];
    if (step.kind !== "wait") return [];
    const received = messagesIn(step.output).map((message, n) => entryOf(message, `${key} ${n}`));
    const approval = journal.otherApproval(step.name);
    return [...received, ...(approval === undefined ? [] : [approvalEntry(approval)])];
  });
  const open = journal.waitingApprovals().map((approval) => approvalEntry(approval));
  return [...before, ...since, ...open].filter(
    ({ parts, call }) => parts.length > 0 || call !== undefined,
  );
}

const approvalEntry = (approval: Approval): Entry => ({
  key: `approval ${approval.id}`,
  role: "approval",
  parts: [{ kind: "approval", approval }],
});

/** Steps and requests by name, as the calls of tools are named: the second one of a name is `name #2`. */
class Journal {
  readonly #isRunning: boolean;
  readonly #steps: ReadonlyMap<string, Step>;
  readonly #approvals: ReadonlyMap<string, Approval>;
  readonly #shown = new Set<string>();
  readonly #counts = new Map<string, number>();

  constructor(isRunning: boolean, steps: readonly Step[], approvals: readonly Approval[]) {
    this.#isRunning = isRunning;
    this.#steps = new Map(steps.map((step) => [step.name, step]));
    // The newest is first.
    this.#approvals = new Map(approvals.toReversed().map((approval) => [approval.step, approval]));
  }

  toolCall(name: string, toolCallId: string, input: unknown): ToolCall {
    const asking = this.#next(`approve ${name} ${toolCallId}`);
    const approval = this.#approvals.get(asking);
    if (approval !== undefined) this.#shown.add(asking);
    const call = { name, input, approval };
    const decision = membersOf(this.#steps.get(asking)?.output)["decision"];
    if (
      approval?.status === "rejected" ||
      approval?.status === "expired" ||
      decision === "rejected"
    )
      return { ...call, state: "rejected" };
    // Only an approved call has had a step.
    const step = this.#steps.get(this.#next(`${name} ${toolCallId}`));
    if (step?.error !== undefined) return { ...call, state: "failed", error: step.error };
    if (step !== undefined) return { ...call, state: "done", output: step.output };
    if (!this.#isRunning) return { ...call, state: "no result" };
    return { ...call, state: approval?.status === "waiting" ? "waiting" : "executing" };
  }

  /** A request that no tool has made, such as that of a budget. */
  otherApproval(step: string): Approval | undefined {
    const approval = this.#approvals.get(step);
    if (approval === undefined || this.#shown.has(step)) return undefined;
    this.#shown.add(step);
    return approval;
  }

  waitingApprovals(): Approval[] {
    return [...this.#approvals.values()].filter(
      ({ step, status }) => status === "waiting" && !this.#shown.has(step),
    );
  }

  #next(name: string): string {
    const count = (this.#counts.get(name) ?? 0) + 1;
    this.#counts.set(name, count);
    return count === 1 ? name : `${name} #${count}`;
  }
}

/** What a model has answered: parts of a stream, or a whole answer. */
function answerOf({ output, error }: Step, key: string, journal: Journal): Entry {
  const role = "assistant";
  if (error !== undefined) return { key, role, parts: [], call: { error } };
  const answer = membersOf(output);
  const given = listOf(Array.isArray(output) ? output : answer["content"]);
  const finish = Array.isArray(output) ? given.find(({ type }) => type === "finish") : answer;
  const about = Array.isArray(output)
    ? given.find(({ type }) => type === "response-metadata")
    : membersOf(answer["response"]);
  const usage = membersOf(finish?.["usage"]);
  const results = new Map(
    given
      .filter(({ type }) => type === "tool-result")
      .map((result) => [result["toolCallId"], result]),
  );
  const parts: Part[] = [];
  let last: { readonly kind: "text" | "reasoning"; readonly id: unknown } | undefined;
  for (const part of given) {
    const { type, id } = part;
    const kind = type === "text" || type === "text-delta" ? "text" : "reasoning";
    if (type === "tool-call") {
      const call = toolCallOf(part, journal, results);
      if (call !== undefined) parts.push({ kind: "tool", tool: call });
    } else if (type === "file") {
      parts.push({ kind: "file", text: textOf(part["mediaType"]) });
    } else if (kind === "text" || type === "reasoning" || type === "reasoning-delta") {
      const text = textOf(part["text"] ?? part["delta"]);
      const before = parts.at(-1);
      if (before?.kind === kind && last?.kind === kind && id !== undefined && last.id === id) {
        parts[parts.length - 1] = { kind, text: before.text + text };
      } else if (text !== "") parts.push({ kind, text });
      last = { kind, id };
    }
  }
  const cost = membersOf(membersOf(finish?.["providerMetadata"])["oxbow"])["cost"];
  const call = {
    model: textOf(about?.["modelId"]) || undefined,
    inputTokens: numberOf(membersOf(usage["inputTokens"])["total"]),
    outputTokens: numberOf(membersOf(usage["outputTokens"])["total"]),
    cost: numberOf(cost),
  };
  return { key, role, parts, call };
}

function toolCallOf(
  { toolName, toolCallId, input }: Members,
  journal: Journal,
  results: ReadonlyMap<unknown, Members>,
): ToolCall | undefined {
  if (typeof toolName !== "string" || typeof toolCallId !== "string") return undefined;
  const call = journal.toolCall(toolName, toolCallId, parsed(input));
  // The provider has executed it itself.
  const result = results.get(toolCallId);
  if (result === undefined) return call;
  const { result: output } = result;
  return result["isError"] === true
    ? { ...call, state: "failed", error: output }
    : { ...call, state: "done", output };
}

/** The input of a call is JSON, as the model has written it. */
function parsed(input: unknown): unknown {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input) as unknown;
  } catch {
    return input;
  }
}

/** Messages of a chat: `{ messages }`, a list, or one, each with parts as in a page, or with the content of a prompt. */
function messagesIn(value: unknown): Members[] {
  const { messages } = membersOf(value);
  const list = Array.isArray(value) ? value : Array.isArray(messages) ? messages : [value];
  return listOf(list).filter(
    ({ role, parts, content }) =>
      typeof role === "string" &&
      (Array.isArray(parts) || Array.isArray(content) || typeof content === "string"),
  );
}

function entryOf({ role, parts, content }: Members, key: string): Entry {
  const given =
    typeof content === "string" && !Array.isArray(parts)
      ? [{ type: "text", text: content }]
      : listOf(Array.isArray(parts) ? parts : content);
  return { key, role: textOf(role), parts: given.flatMap((part) => partOf(part)) };
}

function partOf(part: Members): Part[] {
  const type = textOf(part["type"]);
  const text = textOf(part["text"]);
  if (type === "text" || type === "reasoning") return text === "" ? [] : [{ kind: type, text }];
  if (type === "file" || type === "image") {
    return [{ kind: "file", text: textOf(part["filename"] ?? part["mediaType"]) }];
  }
  const [, named] = /^tool-(?!call$|result$)(.+)$/.exec(type) ?? [];
  const name = named ?? (textOf(part["toolName"]) || undefined);
  if (name === undefined) return [];
  const { input, output, errorText } = part;
  if (type === "tool-call") return [{ kind: "tool", tool: { name, input, state: "no result" } }];
  const tool: ToolCall =
    typeof errorText === "string"
      ? { name, input, state: "failed", error: errorText }
      : output === undefined
        ? { name, input, state: "no result" }
        : { name, input, state: "done", output };
  return [{ kind: "tool", tool }];
}

const membersOf = (value: unknown): Members =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Members) : {};

const listOf = (value: unknown): Members[] =>
  Array.isArray(value) ? value.map((each) => membersOf(each)) : [];

const textOf = (value: unknown): string => (typeof value === "string" ? value : "");

const numberOf = (value: unknown): number | undefined =>
  typeof value === "number" ? value : undefined;
