/**
 * Runs of definitions that earlier builds recorded, in `recordings/`: the interpreter of today continues each, or comes to
 * its end. A file is never recorded again. `RECORD=1` records documents without a file.
 */
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { defineNode, type DeclaredWorkflow, workflowOf } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { workflow } from "@oxbow/sdk/runtime";
import { replayRecording, type RunRecording } from "@oxbow/sdk/testing";
import { describe, expect, it } from "vitest";
import { setupEnvironment } from "../helpers/test-environment.ts";
import { INPUT, TOPOLOGIES } from "./topologies.ts";

const ROOT = fileURLToPath(new URL("../../", import.meta.url));
const FOLDER = new URL("recordings/", import.meta.url);

interface Recorded {
  readonly document: Document;
  readonly recording: RunRecording;
}

const failures = new Map<string, number>();

/** Fails as often as its parameters say, then returns `value`. */
const task = defineNode({
  type: "task",
  params: { type: "object" },
  run: ({ params, idempotencyKey }) => {
    const { failures: wanted = 0, value = "done" } = params as {
      readonly failures?: number;
      readonly value?: unknown;
    };
    const failed = failures.get(idempotencyKey) ?? 0;
    failures.set(idempotencyKey, failed + 1);
    if (failed < wanted) throw new Error("not yet");
    return value;
  },
});

const compiled = (document: Document): DeclaredWorkflow => workflowOf(document, { nodes: [task] });

const child = workflow({ name: "child", run: (_ctx, input: number) => Promise.resolve(input + 1) });

/** Documents besides the corpus. */
const MORE: Readonly<Record<string, Document>> = {
  "a child run": {
    format: 1,
    name: "parent",
    nodes: {
      run: { type: "run@1", params: { workflow: "child", input: 4 } },
      done: { type: "end@1", params: { output: { $path: "nodes.run.output" } } },
    },
    edges: [{ from: "run", to: "done" }],
  },
  "a wait under way": {
    format: 1,
    name: "waiting",
    nodes: {
      before: { type: "task@1" },
      go: { type: "wait@1", params: { event: "go", timeout: "30d" } },
      done: { type: "end@1", params: { output: { $path: "nodes.go.output" } } },
    },
    edges: [
      { from: "before", to: "go" },
      { from: "go", on: "received", to: "done" },
    ],
  },
};

const fileOf = (title: string): URL => new URL(`${title.replaceAll(" ", "-")}.json`, FOLDER);

it.runIf(process.env["RECORD"] === "1")("records documents without a file", async () => {
  mkdirSync(FOLDER, { recursive: true });
  const missing = Object.entries({ ...TOPOLOGIES, ...MORE }).filter(
    ([title]) => !existsSync(fileOf(title)),
  );
  const documents = missing.map(([title, document]): [string, Document] => [
    title,
    { ...document, name: title.replaceAll(" ", "-") },
  ]);
  const env = await setupEnvironment([child, ...documents.map(([, each]) => compiled(each))]);
  for (const [title, document] of documents) {
    const run = await env.client.start(document.name, INPUT);
    // oxlint-disable-next-line no-await-in-loop -- The clock of one run moves the others.
    if (title === "a wait under way") await env.skip("1h");
    else await env.result(run).catch(() => {});
    const recording = await env.client.runs.record(run.runId);
    const recorded: Recorded = { document, recording };
    // Stacks of errors name files of the machine that records.
    const text = JSON.stringify(recorded, null, 2).replaceAll(ROOT, "");
    writeFileSync(fileOf(title), `${text}\n`);
  }
});

const files = existsSync(FOLDER) ? readdirSync(FOLDER) : [];

describe("a recorded run", () => {
  it.each(files)("of %s is continued by the interpreter of today", async (file) => {
    const { document, recording } = JSON.parse(
      readFileSync(new URL(file, FOLDER), "utf8"),
    ) as Recorded;
    // Rejects if the run would end otherwise than it did.
    const replayed = await replayRecording(compiled(document), recording);
    const expected = { running: "continues", completed: "completed", failed: "failed" };
    expect(replayed.outcome).toBe(expected[recording.status as keyof typeof expected]);
  });

  it("of each node type and shape of graph is kept", () => {
    expect(files.length).toBeGreaterThanOrEqual(
      Object.keys(TOPOLOGIES).length + Object.keys(MORE).length,
    );
  });

  it("is refused by a document that would have gone another way", async () => {
    const { document, recording } = JSON.parse(
      readFileSync(fileOf("deep chain"), "utf8"),
    ) as Recorded;
    const renamed = JSON.parse(JSON.stringify(document).replaceAll('"n3"', '"other"')) as Document;
    await expect(replayRecording(compiled(renamed), recording)).rejects.toThrow(/other|n3/);
  });
});
