/** The command of docs/guides/agents.md that shows an agent whose worker is killed. */
import { expect, it } from "vitest";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const DEMO = new URL("../../examples/agent/demo.ts", import.meta.url);

it("the demo of an agent answers once although its worker is killed, waits for approval, proves it, and ends with 0", async () => {
  const demo = startWorkerProcess(DEMO, { env: { FORCE_COLOR: "", NO_COLOR: "" } });
  const { code } = await demo.end();
  const output = demo.output.join("\n");
  expect(output).not.toContain("NOT TRUE");
  expect({ marks: output.match(/✔/g)?.length, output }).toMatchObject({ marks: 8 });
  expect(output).toMatch(/SIGKILL +worker A dies in the middle of stream/);
  expect(code).toBe(0);
});
