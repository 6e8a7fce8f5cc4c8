/** The worker process of `make bench-soak`: `worker.ts <url>`. Ends with the process that started it. */
import { createWorker } from "@oxbow/sdk/runtime";
import { order } from "./order.ts";

const [url = ""] = process.argv.slice(2);
process.on("disconnect", () => process.exit());
createWorker({ url, workflows: [order], concurrency: 400, logger: console });
process.send?.("serving");
