/** A function whose runs leave promises behind, which are rejected once a run is over. It prints its url. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { createHandler, toNodeHandler } from "@oxbow/sdk/http";
import { workflow } from "@oxbow/sdk/runtime";

const strays = workflow({
  name: "pushed-strays",
  run: ({ signal, step }, afterMs: number) => {
    const prefetch = new Promise<void>((resolve) => {
      signal.addEventListener("abort", () => resolve());
    });
    void prefetch.then(async () => {
      if (afterMs > 0) await pause(afterMs);
      throw new Error(`lost after ${afterMs} ms`);
    });
    return step.run("work", () => "done");
  },
});

const listener = toNodeHandler(createHandler({ workflows: [strays] }));
const server = createServer((request, response) => void listener(request, response));
server.listen(0, "127.0.0.1", () => {
  const { port } = server.address() as AddressInfo;
  process.stdout.write(`at http://127.0.0.1:${port}/api/oxbow\n`);
});
