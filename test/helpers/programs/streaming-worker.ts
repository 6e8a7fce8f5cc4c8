/**
 * A worker whose step streams two chunks and ends; the first worker never ends it, so that it is killed in the
 * callback. Arguments: where it connects to as JSON, and the letter that its chunks begin with.
 */
import { setTimeout as delay } from "node:timers/promises";
import { workflow } from "@oxbow/sdk/runtime";

const [connection = "", letter = "A"] = process.argv.slice(2);

workflow({
  name: "streamed",
  run: (ctx) =>
    ctx.step.run("ask", async () => {
      ctx.stream.write(`${letter}1`);
      ctx.stream.write(`${letter}2`);
      if (letter === "A") await delay(600_000);
    }),
}).serve({ ...(JSON.parse(connection) as object), lease: "1s" });
process.stdout.write("serving\n");
