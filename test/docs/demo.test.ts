/** The command of README.md that shows a worker being killed. */
import { expect, it } from "vitest";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const DEMO = new URL("../../examples/demo/main.ts", import.meta.url);

it("the demo shows a run that outlives its worker, proves it, and ends with 0", async () => {
  const demo = startWorkerProcess(DEMO, { env: { FORCE_COLOR: "", NO_COLOR: "" } });
  const { code } = await demo.end();
  const output = demo.output.join("\n");
  expect(output).not.toContain("NOT TRUE");
  expect(output).toContain("✔ No step was called again once it was in the journal.");
  expect(output).toMatch(/SIGKILL +worker A dies in the middle of send-welcome/);
  // Not a terminal: no colours.
  expect(output).not.toContain("\u001B");
  expect(code).toBe(0);
});
