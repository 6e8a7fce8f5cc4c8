/** A worker whose runs fail. Arguments: url, and `quiet` for a worker that writes nothing. */
import { workflow } from "@oxbow/sdk/runtime";

const [url = "", mode] = process.argv.slice(2);
const fails = workflow({
  name: "fails",
  retry: { attempts: 1 },
  run: (ctx) =>
    ctx.step.run("break", () => {
      throw new RangeError("out of luck");
    }),
});
const worker = fails.serve({ url, ...(mode === "quiet" ? { logger: false } : {}) });
process.once("SIGTERM", () => void worker.stop());
await worker.finished;
