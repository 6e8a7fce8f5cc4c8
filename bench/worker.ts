/** The worker process of the benchmarks: serves their workflows until it is told to end. */
import { createWorker } from "@oxbow/sdk/runtime";
import { workflows } from "./workflows.ts";

const [url = "", concurrency = "200"] = process.argv.slice(2);
const worker = createWorker({ url, workflows, concurrency: Number(concurrency), logger: console });
process.on("SIGTERM", () => void worker.stop());
process.stdout.write("serving\n");
