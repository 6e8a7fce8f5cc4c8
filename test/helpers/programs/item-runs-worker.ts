/**
 * A worker of a definition with a loop whose items are runs. Each item is called, sleeps, and is called again. The second
 * argument is how many calls the worker answers before it holds, until the process is killed.
 */
import { defineNode, workflowOf } from "@oxbow/declared";
import type { Document } from "@oxbow/declared/check";
import { createWorker } from "@oxbow/sdk/runtime";

const [url = "", limit = "0"] = process.argv.slice(2);
let left = limit === "0" ? Number.POSITIVE_INFINITY : Number(limit);
const forEver = (): Promise<never> => new Promise(() => {});

const task = defineNode({
  type: "task",
  params: { type: "object" },
  run: ({ params }) => {
    left -= 1;
    if (left >= 0) return (params as { readonly value: unknown }).value;
    process.stdout.write("held\n");
    return forEver();
  },
});

const document = {
  format: 1,
  name: "killed-items",
  nodes: {
    before: { type: "task@1", params: { value: 100 } },
    each: {
      type: "for_each@1",
      params: {
        items: { $path: "input.items" },
        as: "runs",
        concurrency: 3,
        failures: 1,
        collect: { $cel: "nodes.first.output + nodes.second.output" },
      },
    },
    first: { parent: "each", type: "task@1", params: { value: { $path: "item" } } },
    nap: { parent: "each", type: "delay@1", params: { for: 5 } },
    second: {
      parent: "each",
      type: "task@1",
      params: { value: { $cel: "nodes.before.output + index" } },
    },
    wrong: { parent: "each", type: "set@1", when: "item == 4", params: { x: { $cel: "[1][9]" } } },
    done: { type: "end@1", params: { output: { $path: "nodes.each.output" } } },
  },
  edges: [
    { from: "before", to: "each" },
    { from: "first", to: "nap" },
    { from: "nap", to: "second" },
    { from: "second", to: "wrong" },
    { from: "each", to: "done" },
  ],
} satisfies Document;

createWorker({ url, workflows: [workflowOf(document, { nodes: [task] })], lease: "1s" });
process.stdout.write("serving\n");
