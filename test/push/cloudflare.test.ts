/** What goes wrong in a function has the same effect in workerd as on Node. */
import { expect, it } from "vitest";
import { registerEndpoint, SIGNING_KEY } from "../helpers/endpoints.ts";
import { startTestServer } from "../helpers/server.ts";
import { startCloudflareWorker } from "../helpers/workerd.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const FUNCTION = new URL("fixtures/cloudflare-worker.ts", import.meta.url);

const bench = await setupWorkflows();
await startTestServer(bench.database, { signingKeys: [SIGNING_KEY] });
const made = await startCloudflareWorker(FUNCTION, { OXBOW_SIGNING_KEY: SIGNING_KEY });
await registerEndpoint(bench.database, made.url);

it("a step that fails is retried, and each failure is a line of the log", async () => {
  const run = await bench.client.start("edge-failing", undefined);
  expect(await run.result()).toBe(3);
  await made.process.line(/step "third-time" .* failed \(attempt 2\): Error: call 2/);
});

it("a step that takes too long is aborted, and called again in the next request", async () => {
  const run = await bench.client.start("edge-slow", undefined);
  expect(await run.result()).toBe("in the next request");
});

it("a rejection that nothing awaits fails its run", async () => {
  const run = await bench.client.start("edge-straying", undefined);
  await expect(run.result()).rejects.toThrow("astray");
});
