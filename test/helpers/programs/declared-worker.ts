/**
 * A worker of a declared workflow with a node of each built-in type. Its input names the path of a node; when that node is
 * called, the first worker holds it until the process is killed. The second argument is which worker it is.
 */
import { defineNode, workflowOf } from "@oxbow/declared";
import type { Document, Json } from "@oxbow/declared/check";
import { createWorker, workflow } from "@oxbow/sdk/runtime";

const [url = "", turn = "first", lease = "2s"] = process.argv.slice(2);
const say = (line: string): void => void process.stdout.write(`${line}\n`);
const forEver = (): Promise<never> => new Promise(() => {});

interface Task {
  readonly hold: string;
  readonly value: unknown;
}

/** Prints that it is called, and holds if it must. */
function call(runId: string, path: string, { hold, value }: Task): unknown {
  say(`call ${runId} ${path}`);
  if (turn !== "first" || hold !== path) return value;
  say(`held ${runId} ${path}`);
  return forEver();
}

const task = defineNode({
  type: "task",
  params: { type: "object", required: ["hold", "value"] },
  run: ({ params, idempotencyKey }) => {
    const [runId = "", path = ""] = idempotencyKey.split(":");
    return call(runId, path, params as Task);
  },
});

const child = workflow({
  name: "declared-child",
  run: (ctx, input: Task & { readonly runId: string }) =>
    ctx.step.run("work", () => call(input.runId, "child", input)),
});

const params = (value: Json): Json => ({ hold: { $path: "input.hold" }, value });

const document = {
  format: 1,
  name: "declared",
  nodes: {
    first: { type: "task@1", params: params(1) },
    go: {
      type: "branch@1",
      params: { cases: [{ id: "yes", when: "nodes.first.output == 1" }] },
    },
    never: { type: "task@1", params: params("never") },
    each: {
      type: "for_each@1",
      params: { items: [10, 20], collect: { $path: "nodes.work.output" } },
    },
    work: { parent: "each", type: "task@1", params: params({ $path: "item" }) },
    poll: {
      type: "repeat@1",
      params: { until: "index == 1", pause: 5, collect: { $path: "nodes.ask.output" } },
    },
    ask: { parent: "poll", type: "task@1", params: params({ $path: "index" }) },
    nap: { type: "delay@1", params: { for: { $path: "input.nap" } } },
    hear: { type: "wait@1", params: { event: "go", timeout: "10m" } },
    child: {
      type: "run@1",
      params: {
        workflow: "declared-child",
        input: { hold: { $path: "input.hold" }, value: 3, runId: { $path: "run.id" } },
      },
    },
    sum: {
      type: "set@1",
      params: {
        each: { $path: "nodes.each.output.results" },
        poll: { $path: "nodes.poll.output" },
        heard: { $path: "nodes.hear.output" },
        child: { $path: "nodes.child.output" },
      },
    },
    last: { type: "task@1", when: "nodes.sum.output.child == 3", params: params(4) },
    done: { type: "end@1", params: { output: { $path: "nodes.sum.output" } } },
  },
  edges: [
    { from: "first", to: "go" },
    { from: "go", on: "yes", to: "each" },
    { from: "go", on: "else", to: "never" },
    { from: "each", to: "poll" },
    { from: "poll", to: "nap" },
    { from: "nap", to: "hear" },
    { from: "hear", on: "received", to: "child" },
    { from: "child", to: "sum" },
    { from: "sum", to: "last" },
    { from: "last", to: "done" },
  ],
} satisfies Document;

createWorker({
  url,
  workflows: [workflowOf(document, { nodes: [task] }), child],
  lease,
});
say("serving");
