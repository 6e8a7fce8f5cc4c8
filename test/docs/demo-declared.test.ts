/** The command of docs/declared/automations.md that shows an automation which a customer builds. */
import { expect, it } from "vitest";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const DEMO = new URL("../../examples/automations/main.ts", import.meta.url);

it("the demo of declared workflows pages each incident once, explains, protects, proves it, and ends with 0", async () => {
  const demo = startWorkerProcess(DEMO, { env: { FORCE_COLOR: "", NO_COLOR: "" } });
  const { code } = await demo.end();
  const output = demo.output.join("\n");
  expect(output).not.toContain("NOT TRUE");
  expect({ marks: output.match(/✔/g)?.length, output }).toMatchObject({ marks: 9 });
  expect(output).toMatch(/SIGKILL +worker A dies/);
  expect(output).toContain('CustomField "CF7" is used by definition "page-on-major"');
  expect(code).toBe(0);
});
