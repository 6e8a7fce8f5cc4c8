import { describe, expect, it } from "vitest";
import type { Approval } from "../../../api/approvals.ts";
import type { Run, Step } from "../../../api/runs.ts";
import { hasModelCalls } from "../model-calls.ts";
import { entriesOf, type Entry } from "./entries.ts";
import { next } from "./live-answers.ts";

const runWith = (input: unknown, more: Partial<Run> = {}): Run =>
  ({ status: "running", input, inProgress: [], ...more }) as unknown as Run;

let position = 0;
const step = (name: string, more: Partial<Step>): Step => {
  position += 1;
  return { position, name, kind: "run", ...more } as unknown as Step;
};

const usage = { inputTokens: { total: 10 }, outputTokens: { total: 3 } };
const toolCall = (toolCallId: string, toolName: string, input: string): object => ({
  type: "tool-call",
  toolCallId,
  toolName,
  input,
});

const toolsOf = (entries: readonly Entry[]) =>
  entries.flatMap(({ parts }) =>
    parts.flatMap((part) => (part.kind === "tool" ? [part.tool] : [])),
  );

describe("a conversation", () => {
  it("has the messages of the input, and the answers of the journal with their tokens and cost", () => {
    const user = { role: "user", parts: [{ type: "text", text: "Why?" }] };
    const answer = step("stream 0123456789ab", {
      output: [
        { type: "response-metadata", modelId: "gpt-5" },
        { type: "reasoning-start", id: "r" },
        { type: "reasoning-delta", id: "r", delta: "Hm." },
        { type: "text-start", id: "0" },
        { type: "text-delta", id: "0", delta: "Beca" },
        { type: "text-delta", id: "0", delta: "use." },
        { type: "finish", usage, providerMetadata: { oxbow: { cost: 0.02 } } },
      ],
    });
    expect(entriesOf(runWith({ messages: [user] }), [answer], [])).toEqual([
      { key: "input 0", role: "user", parts: [{ kind: "text", text: "Why?" }] },
      {
        key: `step ${answer.position}`,
        role: "assistant",
        parts: [
          { kind: "reasoning", text: "Hm." },
          { kind: "text", text: "Because." },
        ],
        call: { model: "gpt-5", inputTokens: 10, outputTokens: 3, cost: 0.02 },
      },
    ]);
  });

  it("has answers that came as a whole, and messages that the run has waited for", () => {
    const whole = step("generate 0123456789ab #2", {
      output: { content: [{ type: "text", text: "Yes." }], usage, response: { modelId: "m" } },
    });
    const received = step("next", {
      kind: "wait",
      output: { role: "user", parts: [{ type: "text", text: "And now?" }] },
    });
    const entries = entriesOf(runWith(null), [received, whole], []);
    expect(entries.map(({ role, parts }) => [role, parts])).toEqual([
      ["user", [{ kind: "text", text: "And now?" }]],
      ["assistant", [{ kind: "text", text: "Yes." }]],
    ]);
  });

  it("has the state of each tool, also if a model repeats an id", () => {
    const twice = [1, 2].map((n) =>
      step(n === 1 ? "stream 0123456789ab" : "stream ba9876543210", {
        output: [
          toolCall("call-1", "search", '{"n":1}'),
          toolCall(`call-${n}-x`, "pay", "not JSON"),
          { type: "finish", usage },
        ],
      }),
    );
    const steps = [
      ...twice,
      step("search call-1", { output: "first" }),
      step("search call-1 #2", { error: { name: "Error", message: "second" } }),
      step("approve pay call-1-x", { kind: "wait", output: { decision: "rejected" } }),
    ];
    const approval = { id: "9", step: "approve pay call-2-x", status: "waiting" } as Approval;
    const expected = [
      { name: "search", input: { n: 1 }, state: "done", output: "first" },
      { name: "pay", input: "not JSON", state: "rejected" },
      { name: "search", input: { n: 1 }, state: "failed" },
      { name: "pay", input: "not JSON", state: "waiting", approval },
    ];
    expect(toolsOf(entriesOf(runWith(null), steps, [approval]))).toMatchObject(expected);
    const ended = entriesOf(runWith(null, { status: "cancelled" }), twice, []);
    expect(toolsOf(ended).map(({ state }) => state)).toEqual([
      "no result",
      "no result",
      "no result",
      "no result",
    ]);
  });

  it("has requests for approval of other steps, at the place of the step or at the end", () => {
    const decided = { id: "1", step: "approve budget", status: "approved" } as Approval;
    const waiting = { id: "2", step: "approve more", status: "waiting" } as Approval;
    const answer = step("stream 0123456789ab", { output: [{ type: "finish", usage }] });
    const steps = [step("approve budget", { kind: "wait", output: {} }), answer];
    const entries = entriesOf(runWith(null), steps, [waiting, decided]);
    expect(entries.map(({ key }) => key)).toEqual([
      "approval 1",
      `step ${answer.position}`,
      "approval 2",
    ]);
  });

  it.each([
    [null],
    ["text"],
    [[null, 1, "a"]],
    [{ messages: "none" }],
    [{ messages: [null, { role: 1 }, { role: "user", parts: [null, { type: 1 }, { text: {} }] }] }],
  ])("leaves out what it doesn't understand: %j", (value) => {
    const steps = [
      step("next", { kind: "wait", output: value }),
      step("stream 0123456789ab", { output: value }),
    ];
    expect(entriesOf(runWith(value), steps, [])).toEqual([]);
  });

  it("isn't shown of steps that only have such a name", () => {
    const others = [
      step("stream 0123456789ab", { output: [1, 2] }),
      step("stream 0123456789ab", { output: "text" }),
      step("generate 0123456789ab", { output: { content: "text" } }),
      step("stream tokens", { output: [{ type: "finish" }] }),
    ];
    expect(hasModelCalls(runWith(null), others)).toBe(false);
    const inProgress = [{ step: "stream 0123456789ab" }] as Run["inProgress"];
    expect(hasModelCalls(runWith(null, { inProgress }), [])).toBe(true);
    const input = { messages: [{ role: "user", parts: [] }] };
    expect(hasModelCalls(runWith(input), [])).toBe(true);
    expect(hasModelCalls(runWith(input, { status: "completed" }), [])).toBe(false);
  });
});

describe("an answer in progress", () => {
  const name = "stream 0123456789ab";
  const chunk = (value: unknown, of: string | null = name) => ({
    name: "chunk",
    id: undefined,
    data: { step: of, value },
  });
  const delta = (text: string) => chunk({ type: "text-delta", id: "0", delta: text });

  it("joins deltas, and begins again after a reset", () => {
    const first = next(
      new Map(),
      [chunk({ type: "start" }, null), chunk({ type: "start-step" }), delta("A0 "), delta("A1 ")],
      new Set(),
    );
    expect(first.get(name)?.parts).toEqual([{ kind: "text", id: "0", text: "A0 A1 " }]);
    const reset = { name: "reset", id: undefined, data: { step: name, since: "2" } };
    const second = next(first, [reset, delta("B0 ")], new Set());
    expect(second.get(name)?.parts).toEqual([{ kind: "text", id: "0", text: "B0 " }]);
    expect(next(second, [], new Set([name])).size).toBe(0);
  });
});
