/** The function in Python of docs/reference/push.md, which has nothing of Oxbow: the protocol is what that page says. */
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { workflow } from "@oxbow/sdk/runtime";
import { spawn, spawnSync } from "node:child_process";
import { expect, it, onTestFinished } from "vitest";
import { blocksOf, readPage } from "../docs/pages.ts";
import { registerEndpoint, SIGNING_KEY } from "../helpers/endpoints.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer } from "../helpers/server.ts";
import { setupWorkflows } from "../helpers/workflows.ts";

const hasPython = spawnSync("python3", ["--version"]).status === 0;

const greet = workflow({
  name: "greet-in-python",
  run: (_ctx, _name: string) => Promise.resolve(""),
});

it.skipIf(!hasPython)("a function that only knows the protocol executes runs", async () => {
  const [program] = blocksOf(readPage("docs/reference/push.md"), "python");
  if (program === undefined) throw new Error("The page has no program.");
  const bench = await setupWorkflows();
  await startTestServer(bench.database, { signingKeys: [SIGNING_KEY] });
  const port = await findFreePort();
  const python = spawn("python3", ["-c", program, String(port)], {
    env: { ...process.env, OXBOW_SIGNING_KEY: SIGNING_KEY },
    stdio: "ignore",
  });
  const ended = new Promise<void>((resolve) => {
    python.once("close", () => resolve());
  });
  onTestFinished(async () => {
    python.kill("SIGKILL");
    await ended;
  });
  const url = `http://127.0.0.1:${port}/`;
  await eventually(
    () => fetch(url),
    ({ status }) => status > 0,
  );
  await registerEndpoint(bench.database, url);
  const runs = await Promise.all(["Ada", "Grace"].map((name) => bench.client.start(greet, name)));
  expect(await Promise.all(runs.map((run) => run.result()))).toEqual(["HELLO ADA", "HELLO GRACE"]);
  expect(await bench.violations()).toEqual([]);
});
