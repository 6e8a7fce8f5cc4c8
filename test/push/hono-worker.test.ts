/** examples/hono-worker in workerd: it starts runs, executes them when a server pushes them, and reports them. */
import { expect, it, vi } from "vitest";
import { registerEndpoint, SIGNING_KEY } from "../helpers/endpoints.ts";
import { eventually } from "../helpers/eventually.ts";
import { secretOf, startTestServer } from "../helpers/server.ts";
import { startCloudflareWorker } from "../helpers/workerd.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const EXAMPLE = new URL("../../examples/hono-worker/app.ts", import.meta.url);

const bench = await setupWorkflows();
const server = await startTestServer(bench.database, {
  signingKeys: [SIGNING_KEY],
  secrets: "sign-ups:read+produce",
  // A server with tokens is not one of this machine alone.
  deliveries: { senders: 0, allowedNetworks: ["127.0.0.0/8"], allowHttp: true },
});
const app = await startCloudflareWorker(EXAMPLE, {
  OXBOW_URL: server.url,
  OXBOW_TOKEN: secretOf("sign-ups"),
  OXBOW_SIGNING_KEY: SIGNING_KEY,
});
await registerEndpoint(bench.database, `${app.url}/api/oxbow`);

async function signUp(
  fields: Record<string, string>,
): Promise<{ readonly status: number; readonly runId: string }> {
  const body = new URLSearchParams(fields);
  const response = await fetch(`${app.url}/signup`, { method: "POST", body });
  const { runId } = (await response.json()) as { readonly runId: string };
  return { status: response.status, runId };
}

const statusOf = async (runId: string): Promise<unknown> =>
  (await fetch(`${app.url}/runs/${runId}`)).json();

const untilCompleted = (runId: string): Promise<unknown> =>
  eventually(
    () => statusOf(runId),
    (answer) => JSON.stringify(answer) === '{"status":"completed"}',
  );

it("a sign-up becomes a run, which the same worker executes", async () => {
  const { status, runId } = await signUp({ email: "ada@example.com" });
  expect(status).toBe(202);
  await untilCompleted(runId);
  const run = await bench.client.runs.get("onboard-user", runId);
  expect(run.output).toEqual({
    userId: expect.stringMatching(/^[0-9a-f-]{36}$/),
    subject: "Welcome, ada@example.com",
  });
  expect(await signUp({ email: "ada@example.com" })).toEqual({ status: 202, runId });
  expect(await bench.violations()).toEqual([]);
});

it("requests at the same time share nothing, as Cloudflare requires", async () => {
  const warned = vi.spyOn(process, "emitWarning");
  const started = await Promise.all(
    Array.from({ length: 20 }, (_, each) => signUp({ email: `${each}@example.com` })),
  );
  for (const { runId } of started) {
    await untilCompleted(runId);
    expect((await bench.client.runs.steps(runId)).map(({ attempts }) => attempts)).toEqual([
      1, 1, 1,
    ]);
  }
  expect(app.process.output).toEqual([]);
  // The server has a listener for each of them.
  expect(warned).not.toHaveBeenCalled();
  warned.mockRestore();
});

it("answers what is wrong with a request", async () => {
  expect((await signUp({})).status).toBe(400);
  expect(await statusOf("999999999")).toEqual({
    error: expect.stringContaining("Run 999999999 of workflow"),
  });
});

it("its bundle has no driver", () => {
  expect(app.files.filter((path) => /node_modules\/(pg|pg-cursor)\//.test(path))).toEqual([]);
});
