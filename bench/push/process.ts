/** A process of `make bench-push`: the worker, or the function at a port. `process.ts polled <url>`, `process.ts pushed <port>`. */
import { createHandler, toNodeHandler } from "@oxbow/sdk/http";
import { createWorker } from "@oxbow/sdk/runtime";
import { createServer } from "node:http";
import { fiveSteps, oneStep } from "./workflows.ts";

const [way = "", where = ""] = process.argv.slice(2);

let requests = 0;
if (way === "polled") {
  createWorker({
    url: where,
    workflows: [oneStep(way), fiveSteps(way)],
    concurrency: 200,
    logger: false,
  });
} else {
  const handler = createHandler({
    workflows: [oneStep("pushed"), fiveSteps("pushed")],
    logger: false,
  });
  const listener = toNodeHandler(handler);
  const server = createServer((request, response) => {
    requests += 1;
    void listener(request, response);
  });
  server.keepAliveTimeout = 60_000;
  await new Promise<void>((resolve) => {
    server.listen(Number(where), "127.0.0.1", resolve);
  });
}
process.on("message", () => void process.send?.(requests));
process.on("disconnect", () => process.exit());
process.send?.("ready");
