/**
 * Serves an agent and notes its calls in a file. At one of them it kills itself; in the middle of an answer it stops, and waits
 * to be killed. Arguments: where it connects to as JSON, the name of the workflow, the file, the letter of its answers, and the
 * call.
 */
import { appendFileSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { traveller } from "../traveller.ts";

const [connection = "", name = "", file = "", letter = "", last = ""] = process.argv.slice(2);

traveller(name, letter, (call) => {
  appendFileSync(file, `${call}\n`);
  if (call !== last) return null;
  return last.endsWith("halfway") ? pause(600_000) : process.kill(process.pid, "SIGKILL");
}).serve({ ...(JSON.parse(connection) as object), lease: "60s" });
process.stdout.write("serving\n");
