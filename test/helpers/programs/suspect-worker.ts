/**
 * A worker whose workflow does what its input asks for: ends the process after a moment, blocks the event loop for some
 * milliseconds once, or takes some milliseconds. Arguments: url, lease, concurrency.
 */
import { setTimeout as delay } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";

const [url = "", lease = "1s", concurrency = "100"] = process.argv.slice(2);

export interface SuspectInput {
  readonly kills?: boolean;
  readonly blocksMs?: number;
  readonly takesMs?: number;
}

workflow({
  name: "suspect",
  run: async (ctx, { kills = false, blocksMs = 0, takesMs = 0 }: SuspectInput) => {
    await ctx.step.run("work", async () => {
      await delay(takesMs);
      if (kills) process.kill(process.pid, "SIGKILL");
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, blocksMs);
    });
    return "lived";
  },
}).serve({ url, lease: lease as "1s", concurrency: Number(concurrency) });
process.stdout.write("serving\n");
