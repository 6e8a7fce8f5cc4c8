import type { StepRecord } from "../protocol/commit.ts";
import { MAX_COMMIT_LENGTH, splitCommit } from "./commit-parts.ts";
import { expect, it } from "vitest";

const step = (name: string, length: number): StepRecord => ({
  name,
  kind: "run",
  attempts: 1,
  durationMs: 0,
  output: "1".repeat(length),
});

it("sends a commit that fits as it is", () => {
  const commit = {
    steps: [step("a", 10), step("b", 10)],
    transition: { kind: "complete" as const },
  };
  expect(splitCommit(commit)).toEqual({ first: [], last: commit });
  const large = {
    steps: [step("a", MAX_COMMIT_LENGTH + 1)],
    transition: { kind: "keep" as const },
  };
  expect(splitCommit(large)).toEqual({ first: [], last: large });
});

it("journals many large steps in parts, in order, each with its effects, what was set and streamed first", () => {
  const third = Math.floor(MAX_COMMIT_LENGTH / 3);
  const steps = ["a", "b", "c", "d", "e"].map((name) => step(name, third));
  const effect = (name: string) =>
    ({ kind: "publish", step: name, topic: "t", message: "1" }) as const;
  const commit = {
    steps,
    transition: { kind: "suspend" as const, continuation: { waits: [], retries: [] } },
    state: [{ key: "k" }],
    stream: [{ step: "", attempt: 1, number: 1 }],
    effects: [effect("b"), effect("d"), effect("waits")],
  };
  const { first, last } = splitCommit(commit);
  expect(first).toEqual([
    {
      steps: steps.slice(0, 3),
      transition: { kind: "keep" },
      state: commit.state,
      stream: commit.stream,
      effects: [effect("b")],
    },
  ]);
  expect(last).toEqual({
    steps: steps.slice(3),
    transition: commit.transition,
    effects: [effect("d"), effect("waits")],
  });
});
