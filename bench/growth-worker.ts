/** The worker process of `make bench-growth`: `growth-worker.ts <url> <slots>`. */
import { createWorker } from "@oxbow/sdk/runtime";
import { workflows } from "./workflows.ts";

const [url = "", slots = "200"] = process.argv.slice(2);
const worker = createWorker({ url, workflows, concurrency: Number(slots), logger: console });
process.on("SIGTERM", () => void worker.stop());
process.on("SIGUSR2", () => {
  globalThis.gc?.();
  process.stdout.write(String(process.memoryUsage().heapUsed / 1_048_576));
});
process.stdout.write("serving\n");
