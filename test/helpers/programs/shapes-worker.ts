/** Serves all shapes. Argument: url. */
import { createWorker } from "@oxbow/sdk/runtime";
import { SHAPE_WORKFLOWS } from "../shapes.ts";

const worker = createWorker({
  url: process.argv[2] ?? "",
  workflows: SHAPE_WORKFLOWS,
  lease: "1s",
  concurrency: 40,
  logger: { debug() {}, info() {}, warn() {}, error() {} },
});
process.stdout.write("serving\n");
await worker.finished;
