import { expect, it } from "vitest";
import type { StepRecord } from "../protocol/commit.ts";
import { Commits } from "./commits.ts";

const record = (name: string): StepRecord => ({ name, kind: "run", attempts: 1, durationMs: 0 });

it("a commit takes along every record and effect since the last one", () => {
  const commits = new Commits();
  const effect = { kind: "publish", step: "p", topic: "t", message: "1" } as const;
  commits.add(record("a"));
  commits.add({ ...record("p"), kind: "publish", effect });
  const first = commits.send({ kind: "keep" });
  expect(first.steps.map(({ name }) => name)).toEqual(["a", "p"]);
  expect(first.effects).toEqual([effect]);
  commits.answered();
  expect(commits.send({ kind: "keep" })).toEqual({ steps: [], transition: { kind: "keep" } });
});

it("a mark is reached when the commit with its record is durable", () => {
  const commits = new Commits();
  expect(commits.isReached(commits.mark)).toBe(true);
  commits.add(record("a"));
  const { mark } = commits;
  commits.send({ kind: "keep" });
  commits.add(record("b"));
  const later = commits.mark;
  expect([commits.isReached(mark), commits.isReached(later)]).toEqual([false, false]);
  commits.answered();
  expect([commits.isReached(mark), commits.isReached(later)]).toEqual([true, false]);
});

it("an answer returns the transition that it is for, once", () => {
  const commits = new Commits();
  commits.send({ kind: "suspend", continuation: { waits: [], retries: [] } });
  expect([commits.isIdle, commits.isSuspending]).toEqual([false, true]);
  expect(commits.answered()).toBe("suspend");
  expect([commits.isIdle, commits.answered()]).toEqual([true, undefined]);
});

it("the database may journal waits only in a commit with waits that it resolves", () => {
  const commits = new Commits();
  const sleep = { kind: "sleep", step: "s", until: 1 } as const;
  const event = { kind: "event", step: "e", event: "e" } as const;
  commits.send({ kind: "keep", continuation: { waits: [sleep], retries: [] } });
  expect(commits.mayJournalWaits).toBe(false);
  commits.answered();
  commits.send({ kind: "keep", continuation: { waits: [sleep, event], retries: [] } });
  expect(commits.mayJournalWaits).toBe(true);
  commits.answered();
  commits.sendTx();
  expect(commits.mayJournalWaits).toBe(true);
});
