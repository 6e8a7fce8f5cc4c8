/** The packages as users get them: packed, and installed into an empty folder. */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { publint } from "publint";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGES } from "../../extension-sql/release/packages.ts";
import { createDatabase } from "../helpers/database.ts";
import { packPackages } from "../helpers/packages.ts";
import { type ProgramOutput, runProgram } from "../helpers/run-program.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "oxbow-packages-"));
const database = await createDatabase({ empty: true });

const HELLO = `
import { workflow } from "@oxbow/sdk/runtime";

export const hello = workflow({
  name: "hello",
  run: async (ctx, input) => {
    const text = await ctx.step.run("compose", () => \`Hello, \${input.name}!\`);
    await ctx.step.sleep("pause", "10ms");
    return text;
  },
});
`;
const WORKER = `
import { hello } from "./workflows.mjs";

// Misspelt on purpose: nam

hello.serve();
console.log("serving");
`;

const run = (command: string, args: readonly string[], cwd: string): Promise<ProgramOutput> =>
  runProgram(command, args, { cwd, env: { QUEUE_URL: database.url } });

const oxbow = (...args: string[]): Promise<ProgramOutput> =>
  run("npx", ["--no-install", "oxbow", ...args], folder);

let isInstalled = false;
let archives: readonly string[] = [];

beforeAll(async () => {
  archives = Object.values(await packPackages());
  chmodSync(folder, 0o755);
  // The embedded Postgres and the reader of TypeScript are large, and not needed here.
  const options = ["--omit=optional", "--no-audit", "--no-fund", "--prefer-offline"];
  try {
    await run("npm", ["install", ...options, ...archives], folder);
    isInstalled = true;
  } catch (error) {
    // Without a registry there is nothing to be shown.
    if (!/ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT/.test(String(error))) throw error;
  }
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

it("have commands that are in the repository, so that `npm ci` links them before anything is built", () => {
  const manifest = readFileSync(join(ROOT, "server/package.json"), "utf8");
  const { bin } = JSON.parse(manifest) as { bin: Record<string, string> };
  expect(Object.keys(bin)).toEqual(["oxbow", "oxbow-server"]);
  for (const path of Object.values(bin)) {
    expect(path).not.toContain("dist");
    expect(readFileSync(join(ROOT, "server", path), "utf8")).toMatch(/^#!\/usr\/bin\/env node\n/);
  }
});

describe("the packages in an empty folder", () => {
  it("are whole: npx oxbow installs the schema, starts a run and shows it", async ({ skip }) => {
    skip(!isInstalled, "no registry");
    expect((await oxbow("--help")).stdout).toContain("Durable workflows and queues in Postgres.");
    expect((await oxbow("migrate")).stdout).toMatch(
      /^Installed Oxbow \d+\.\d+\.\d+, \d+ migrations/,
    );
    writeFileSync(join(folder, "workflows.mjs"), HELLO);
    writeFileSync(join(folder, "worker.mjs"), WORKER);
    await using worker = startWorkerProcess(new URL(`file://${folder}/worker.mjs`), {
      cwd: folder,
      env: { QUEUE_URL: database.url },
    });
    await worker.line(/^serving$/);
    expect((await oxbow("start", "hello", '{"name":"Ada"}', "--wait", "20s")).stdout.trim()).toBe(
      '"Hello, Ada!"',
    );
    const { stdout } = await oxbow("runs", "list", "--json");
    const { runId } = JSON.parse(stdout) as { runId: string };
    expect((await oxbow("runs", "show", runId)).stdout).toMatch(/^compose +run +1 /m);
  });

  it("are required by CommonJS as well", async ({ skip }) => {
    skip(!isInstalled, "no registry");
    const doors = [
      "@oxbow/sdk",
      "@oxbow/sdk/runtime",
      "@oxbow/sdk/browser",
      "@oxbow/sdk/http",
      "@oxbow/sdk/testing",
      "@oxbow/fleet",
      "@oxbow/declared",
      "@oxbow/declared/client",
      "@oxbow/declared/check",
      "@oxbow/editor",
      "@oxbow/editor/memory",
      "@oxbow/react",
      "@oxbow/ai",
      "@oxbow/server",
    ];
    const program = doors.map((door) => `console.log(Object.keys(require("${door}")).length > 0)`);
    const { stdout } = await run("node", ["-e", program.join(";")], folder);
    expect(stdout.trim().split("\n")).toEqual(doors.map(() => "true"));
  });

  it.each([
    ["a module", "index.mts", { module: "nodenext" }],
    ["CommonJS", "index.cts", { module: "nodenext" }],
    ["a bundler", "index.ts", { module: "esnext", moduleResolution: "bundler" }],
  ])("have types for %s, which blame a wrong input itself", async (_kind, file, options) => {
    if (!isInstalled) return;
    const lines = [
      'import { createWorkflowClient } from "@oxbow/sdk";',
      'import { workflow } from "@oxbow/sdk/runtime";',
      'import { createTestEnvironment } from "@oxbow/sdk/testing";',
      'import { startServer } from "@oxbow/server";',
      'const greet = workflow({ name: "greet", run: (_ctx, to: { name: string }) => to.name });',
      "const client = createWorkflowClient();",
      'export const good = [createTestEnvironment, startServer, client.start(greet, { name: "Ada" })];',
      "export const started = client.start(greet, { nam: 1 });",
      "export const batch = client.startBatch(greet, [{ input: { nam: 1 } }]);",
      'export const daily = client.schedules.create({ name: "a", workflow: greet, input: { nam: 1 } });',
    ];
    const project = mkdtempSync(join(folder, "types-"));
    writeFileSync(join(project, file), lines.join("\n"));
    const compilerOptions = {
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: [],
      ...options,
    };
    writeFileSync(
      join(project, "tsconfig.json"),
      JSON.stringify({ compilerOptions, include: [file] }),
    );
    const tsc = run("node", [join(ROOT, "node_modules/typescript/bin/tsc"), "-p", project], ROOT);
    const output = await tsc.then(({ stdout }) => stdout, String);
    const blamed = [...output.matchAll(/index\.[cm]?ts\((\d+),(\d+)\): error/g)].map(
      ([, line, column]) => lines[Number(line) - 1]?.slice(Number(column) - 1).split(":")[0],
    );
    expect({ blamed, output }).toMatchObject({ blamed: ["nam", "nam", "nam"] });
  });

  it("are found by every way of resolving modules", async ({ skip }) => {
    skip(!isInstalled, "no registry");
    for (const archive of archives) {
      const { buffer } = Uint8Array.from(readFileSync(archive));
      const { messages } = await publint({ strict: true, pack: { tarball: buffer } });
      const checked = await checkPackage(createPackageFromTarballData(new Uint8Array(buffer)), {
        excludeEntrypoints: ["style.css"],
      });
      const problems = checked.types === false ? ["no types"] : checked.problems;
      // That CommonJS gets a module is no problem for the versions of Node that we support.
      const severe = problems.filter(
        (one) => typeof one === "string" || one.kind !== "CJSResolvesToESM",
      );
      expect({ archive, messages, severe }).toEqual({ archive, messages: [], severe: [] });
    }
  });

  it("hold a readme and the license", ({ skip }) => {
    skip(!isInstalled, "no registry");
    const license = readFileSync(join(ROOT, "LICENSE"), "utf8");
    for (const name of PACKAGES) {
      const own = join(folder, "node_modules/@oxbow", name);
      expect(readFileSync(join(own, "README.md"), "utf8")).toMatch(
        new RegExp(`^# @oxbow/${name}\n`),
      );
      expect(readFileSync(join(own, "LICENSE"), "utf8")).toBe(license);
    }
  });

  it("hold neither tests nor what only builds them", ({ skip }) => {
    skip(!isInstalled, "no registry");
    for (const name of PACKAGES) {
      const files = readdirSync(join(folder, "node_modules/@oxbow", name), { recursive: true });
      expect(files.filter((file) => /\.test\.|tsbuildinfo|simulation/.test(String(file)))).toEqual(
        [],
      );
    }
  });
});
