import { describe, expect, it } from "vitest";
import { Batcher } from "../async/batcher.ts";
import type { CommitResult, RunCommit, StepRecord } from "../protocol/commit.ts";
import { type JournalSize, LARGE_JOURNAL } from "../protocol/journal.ts";
import type { WorkflowDelivery } from "../protocol/worker.ts";
import { MAX_COMMIT_LENGTH } from "./commit-parts.ts";
import { RunCommits } from "./run-commits.ts";

const step = (name: string, output = "1"): StepRecord => ({
  name,
  kind: "run",
  attempts: 1,
  durationMs: 0,
  output,
});

const answer = (
  outcome: CommitResult["outcome"],
  resolved: CommitResult["resolved"] = [],
): CommitResult => ({ runId: "7", receipt: "9", outcome, resolved });

/** Commits of a run whose answers the test scripts. */
function setup(attempt = 1): {
  commits: RunCommits;
  submit: (commit: Parameters<RunCommits["submit"]>[0]) => Promise<CommitResult>;
  sent: RunCommit[];
  answers: (CommitResult | Error)[];
  progress: () => number;
  grown: JournalSize[];
} {
  const sent: RunCommit[] = [];
  const answers: (CommitResult | Error)[] = [];
  let progress = 0;
  const grown: JournalSize[] = [];
  const delivery = {
    name: "w",
    runId: "7",
    receipt: "9",
    attempt,
    journal: [step("before")],
    continuation: { revision: 3, waits: [], retries: [] },
    bytes: 100,
  } as unknown as WorkflowDelivery;
  const commits = new RunCommits({
    delivery,
    committer: new Batcher<RunCommit, CommitResult>({
      maxItems: 1,
      maxInFlight: 1,
      isShared: () => true,
      send: ([item]) => {
        if (item !== undefined) sent.push(item);
        const next = answers.shift() ?? answer("ok");
        return next instanceof Error ? Promise.reject(next) : Promise.resolve([next]);
      },
    }),
    leaseMs: 30_000,
    dropped: () => new AbortController().signal,
    closing: new AbortController().signal,
    tracing: undefined,
    onProgress: () => {
      progress += 1;
    },
    onGrown: (size) => void grown.push(size),
    onTrouble: () => {},
  });
  const submit: ReturnType<typeof setup>["submit"] = (commit) =>
    new Promise((resolve, reject) => {
      commits.submit(commit, resolve, reject);
    });
  return { commits, submit, sent, answers, progress: () => progress, grown };
}

const keep = { kind: "keep" } as const;
const suspend = {
  kind: "suspend",
  continuation: { waits: [], retries: [] },
} as const;

describe("the commits of a run", () => {
  it("state where the journal stands and what the last one wrote", async () => {
    const { commits, submit, sent, answers } = setup();
    answers.push(answer("ok"), answer("ok", [{ step: "wait" }]), answer("ok"));
    await submit({ steps: [step("a"), step("b")], transition: keep });
    await submit({ steps: [], transition: suspend });
    await submit({ steps: [], transition: suspend });
    await submit({ steps: [], transition: keep });
    expect(sent.map(({ journaled, known, revision }) => ({ journaled, known, revision }))).toEqual([
      { journaled: 1, known: {}, revision: undefined },
      { journaled: 3, known: { step: "b" }, revision: 4 },
      { journaled: 4, known: { step: "wait" }, revision: 5 },
      { journaled: 4, known: { revision: 5 }, revision: undefined },
    ]);
    expect(commits.bytes).toBe(102);
  });

  it("stay where they are after an outcome that is not ok", async () => {
    const { commits, submit, answers } = setup();
    answers.push(answer("lost"));
    const { outcome } = await submit({ steps: [step("a")], transition: keep });
    expect(outcome).toBe("lost");
    expect(commits.known).toEqual({});
  });

  it("report a journal that passes a size from which on it costs, once each", async () => {
    const { submit, grown } = setup();
    const steps = Array.from({ length: 1_000 }, (_, n) => step(`s${n}`));
    for (let n = 0; n < 12; n += 1) await submit({ steps, transition: keep });
    expect(grown).toEqual([{ rows: LARGE_JOURNAL.rows + 1, bytes: 10_100 }]);
    const large = step("large", `"${"x".repeat(LARGE_JOURNAL.bytes)}"`);
    await submit({ steps: [large, step("small")], transition: keep });
    await submit({ steps: [step("last")], transition: keep });
    expect(grown).toHaveLength(2);
    expect(grown[1]?.bytes).toBeGreaterThan(LARGE_JOURNAL.bytes);
  });

  it("repeat one that the database could not carry out, unchanged", async () => {
    const { submit, sent, answers } = setup();
    answers.push(Object.assign(new Error("disk full"), { code: "53100" }));
    await submit({ steps: [step("a")], transition: keep });
    expect(sent).toHaveLength(2);
    expect(sent[1]).toBe(sent[0]);
  });

  it("reject immediately with a failure of the data", async () => {
    const { submit, sent, answers } = setup();
    const failure = Object.assign(new Error("not JSON"), { code: "22P02" });
    answers.push(failure);
    await expect(submit({ steps: [step("a")], transition: keep })).rejects.toBe(failure);
    expect(sent).toHaveLength(1);
  });

  it("send a large one in parts, and nothing after a part that is lost", async () => {
    const half = "1".repeat(MAX_COMMIT_LENGTH / 2 + 1);
    const { submit, sent, answers } = setup();
    const steps = ["a", "b", "c"].map((name) => step(name, half));
    answers.push(answer("ok"), answer("lost"));
    const { outcome } = await submit({ steps, transition: { kind: "complete" } });
    expect(outcome).toBe("lost");
    expect(sent.map((item) => [item.steps.map(({ name }) => name), item.journaled])).toEqual([
      [["a"], 1],
      [["b"], 2],
    ]);
  });

  it("restart the count of deliveries only with the first one after a crash", async () => {
    const { submit, sent, progress } = setup(2);
    await submit({ steps: [step("a")], transition: keep });
    await submit({ steps: [step("b")], transition: keep });
    expect(sent.map(({ restartsCount }) => restartsCount)).toEqual([true, false]);
    expect(progress()).toBe(1);
  });
});
