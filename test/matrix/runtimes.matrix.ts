/**
 * Bun and Deno: each follows the quickstart with the packed packages, from its Postgres to the result, and kills the
 * worker while the run sleeps. What else of the product they run: docs/operate/bun-and-deno.md.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { readPage } from "../docs/pages.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { packPackages } from "../helpers/packages.ts";
import { programEnvironment } from "../helpers/program-environment.ts";
import { type ProgramOutput, runProgram } from "../helpers/run-program.ts";

/** Each runtime by the name of the package that has its program. */
const RUNTIMES = [
  { runtime: "bun", args: ["run"] },
  { runtime: "deno", args: ["run", "--allow-all"] },
] as const;

const folder = mkdtempSync(join(tmpdir(), "oxbow-runtimes-"));
const project = join(folder, "project");
const programs = join(project, "node_modules/.bin");
const OPTIONS = ["--no-audit", "--no-fund", "--prefer-offline"];

beforeAll(async () => {
  // Postgres, which never runs as root, has to get in.
  chmodSync(folder, 0o755);
  mkdirSync(project);
  const { sdk, fleet, declared, server } = await packPackages();
  writeFileSync(join(project, "package.json"), JSON.stringify({ type: "module" }));
  const tools = RUNTIMES.map(({ runtime }) => runtime);
  await runProgram("npm", ["install", ...OPTIONS, ...tools, sdk, fleet, declared, server], {
    cwd: project,
  });
  const page = readPage("docs/quickstart.md").text;
  for (const [, file = "", code = ""] of page.matchAll(/`(\w+\.ts)`:\n\n```ts\n([\s\S]*?)^```$/gm))
    writeFileSync(join(project, file), code);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(RUNTIMES)("$runtime", ({ runtime, args }) => {
  const program = join(programs, runtime);
  const environment: Record<string, string> = {};
  const run = (...more: readonly string[]): Promise<ProgramOutput> =>
    runProgram(program, [...args, ...more], { cwd: project, env: environment });

  beforeAll(async () => {
    const { url } = await createDatabase({ empty: true });
    environment["QUEUE_URL"] = url;
  });

  it("takes a run of the quickstart to its end, though the worker is killed", async () => {
    const oxbow = join(project, "node_modules/@oxbow/server/bin/oxbow.js");
    await run(oxbow, "migrate");
    const serve = (): ChildProcess => {
      const child = spawn(program, [...args, "worker.ts"], {
        cwd: project,
        env: { ...programEnvironment(), ...environment },
        stdio: "inherit",
      });
      onTestFinished(() => void child.kill("SIGKILL"));
      return child;
    };
    const first = serve();
    const result = run("start.ts");
    await eventually(
      () => run(oxbow, "runs", "show", "1").then(({ stdout }) => stdout, String),
      (shown) => /^compose +run/m.test(shown),
      { withinMs: 90_000 },
    );
    first.kill("SIGKILL");
    await once(first, "exit");
    const second = serve();
    expect((await result).stdout).toContain("Hello, Ada! (delivered)");
    second.kill("SIGTERM");
    await once(second, "exit");
    expect({ code: second.exitCode, signal: second.signalCode }).toEqual({ code: 0, signal: null });
  });

  it("starts and stops the Postgres of the testing kit", async () => {
    const file = join(project, `stop-${runtime}.ts`);
    writeFileSync(
      file,
      `import { startPostgres } from "@oxbow/sdk/testing";
       const cluster = await startPostgres({});
       console.log(await cluster.createDatabase("app"));
       await cluster.stop();`,
    );
    expect((await run(file)).stdout).toMatch(/^postgres:\/\/.+\/app$/m);
  });
});
