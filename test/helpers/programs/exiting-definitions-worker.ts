/** A worker of definitions whose node type `exit@1` ends the process; `task@1` takes a moment. Argument: url. */
import { setTimeout as delay } from "node:timers/promises";
import { createDefinitions, defineNode } from "@oxbow/declared";

const [url = ""] = process.argv.slice(2);

const exit = defineNode({
  type: "exit",
  params: { type: "object" },
  run: () => process.exit(1),
});

const task = defineNode({
  type: "task",
  params: { type: "object" },
  run: async () => {
    await delay(300);
    return "done";
  },
});

createDefinitions({ nodes: [exit, task] }).serve({ url, lease: "4s" });
