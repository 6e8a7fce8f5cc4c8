/** The packed SDK in folders without `@oxbow/fleet`, with it, and with one that has another copy of the SDK. */
import { execFileSync } from "node:child_process";
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, expect, it } from "vitest";
import { packPackages } from "../helpers/packages.ts";
import { runProgram } from "../helpers/run-program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = `
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";

const shards = { a: "postgres://127.0.0.1:1/none" };
const greet = workflow({ name: "greet", run: async () => "Hello!" });
const messageOf = async (work) => work.then(() => "none", (error) => error.name + ": " + error.message);
const client = createWorkflowClient({ shards });
console.log(JSON.stringify(await messageOf(client.start(greet))));
await client.close().catch(() => {});
if (process.argv[2] === "worker") {
  const worker = createWorker({ shards, workflows: [greet], logger: false });
  console.log(JSON.stringify(await messageOf(worker.finished)));
  await worker.stop();
}
`;

const folder = mkdtempSync(join(tmpdir(), "oxbow-fleet-package-"));
const scope = join(folder, "node_modules/@oxbow");

beforeAll(async () => {
  const packages = await packPackages();
  mkdirSync(scope, { recursive: true });
  for (const name of readdirSync(join(ROOT, "node_modules"))) {
    if (name === "@oxbow" || name === ".bin") continue;
    symlinkSync(join(ROOT, "node_modules", name), join(folder, "node_modules", name));
  }
  for (const name of ["sdk", "fleet"] as const) {
    mkdirSync(join(folder, name));
    const options = ["-xzf", packages[name], "-C", join(folder, name), "--strip-components=1"];
    execFileSync("tar", options);
  }
  cpSync(join(folder, "sdk"), join(scope, "sdk"), { recursive: true });
  writeFileSync(join(folder, "program.mjs"), PROGRAM);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function run(...args: string[]): Promise<unknown[]> {
  const { stdout } = await runProgram("node", ["program.mjs", ...args], { cwd: folder });
  return stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

it("is what an error of clients and workers over shards asks for", async () => {
  rmSync(join(scope, "fleet"), { recursive: true, force: true });
  const missing = expect.stringMatching(/^InvalidArgument: .*run `npm install @oxbow\/fleet`/);
  expect(await run("worker")).toEqual([missing, missing]);
});

it("is refused with another copy of the SDK", async () => {
  cpSync(join(folder, "fleet"), join(scope, "fleet"), { recursive: true });
  const nested = join(scope, "fleet/node_modules/@oxbow");
  cpSync(join(folder, "sdk"), join(nested, "sdk"), { recursive: true });
  const another = expect.stringMatching(/^InvalidArgument: .*another copy of @oxbow\/sdk/);
  expect(await run("worker")).toEqual([another, another]);
  rmSync(nested, { recursive: true });
});

it("is found beside the SDK, and connects", async () => {
  cpSync(join(folder, "fleet"), join(scope, "fleet"), { recursive: true });
  expect(await run()).toEqual([expect.stringMatching(/^ConnectionFailed: /)]);
});
