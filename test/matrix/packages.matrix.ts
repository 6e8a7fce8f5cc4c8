/**
 * The packed packages in empty folders, as users install them: by npm and pnpm, on each supported version of Node, as a
 * module and as CommonJS, and under each way in which TypeScript resolves modules.
 */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { PACKAGES } from "../../extension-sql/release/packages.ts";
import { createDatabase } from "../helpers/database.ts";
import { runProgram } from "../helpers/run-program.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const NODE_VERSIONS = ["20", "22", "24"] as const;
const INSTALLERS = ["npm", "pnpm"] as const;
const TYPESCRIPTS = ["5.9", "7.0"] as const;
const PNPM = "pnpm@10";

type Installer = (typeof INSTALLERS)[number];

const folder = mkdtempSync(join(tmpdir(), "oxbow-matrix-"));
const packed = join(folder, "packed");
const database = await createDatabase({ empty: true });

const WORKFLOWS = `
import { workflow } from "@oxbow/sdk/runtime";

export const greet = workflow({
  name: "greet",
  run: async (ctx, input) => {
    await ctx.step.sleep("pause", "10ms");
    return ctx.step.run("compose", () => "Hello, " + input.name + " from Node " + process.versions.node.split(".")[0]);
  },
});
`;
const AS_MODULE = `
import { createWorkflowClient } from "@oxbow/sdk";
import { greet } from "./workflows.mjs";

const worker = greet.serve();
const client = createWorkflowClient();
const run = await client.start(greet, { name: "Ada" });
console.log(await run.result({ timeout: "60s" }));
await client.close();
await worker.stop();
`;
const AS_COMMONJS = `
const { createWorkflowClient } = require("@oxbow/sdk");
const { workflow } = require("@oxbow/sdk/runtime");

const greet = workflow({ name: "greet-common", run: (ctx, input) => ctx.step.run("compose", () => "Hello, " + input.name) });
async function main() {
  const worker = greet.serve();
  const client = createWorkflowClient();
  const run = await client.start(greet, { name: "Grace" });
  console.log(await run.result({ timeout: "60s" }));
  await client.close();
  await worker.stop();
}
main();
`;

const TYPED_PROGRAM = `
import { createWorkflowClient } from "@oxbow/sdk";
import { workflow } from "@oxbow/sdk/runtime";

// Misspelt on purpose: nam
const greet = workflow({ name: "greet", run: (_ctx, to: { name: string }) => to.name.length });
export const length: Promise<number> = createWorkflowClient().start(greet, { name: "Ada" }).then((run) => run.result());
// @ts-expect-error: a wrong input
export const wrong = createWorkflowClient().start(greet, { nam: "Ada" });
`;
const DYNAMIC_IMPORT = `
export async function connect() {
  const { createWorkflowClient } = await import("@oxbow/sdk");
  return createWorkflowClient();
}
`;

beforeAll(async () => {
  mkdirSync(packed);
  await runProgram("npx", ["tsc", "-b", ...PACKAGES], { cwd: ROOT });
  const packing = [
    "pack",
    ...PACKAGES.flatMap((name) => ["-w", name]),
    "--pack-destination",
    packed,
  ];
  await runProgram("npm", packing, { cwd: ROOT });
  const tools = [
    ...NODE_VERSIONS.map((version) => `${nodePackage()}@${version}`),
    ...TYPESCRIPTS.map((version) => `typescript@${version}`),
  ];
  await Promise.all(tools.map((tool) => installTool(tool)));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe.each(INSTALLERS)("installed by %s", (installer) => {
  const project = join(folder, installer);

  beforeAll(async () => {
    await install(installer, project, { pg: "8.11.0" });
    writeFileSync(join(project, "workflows.mjs"), WORKFLOWS);
    writeFileSync(join(project, "module.mjs"), AS_MODULE);
    writeFileSync(join(project, "common.cjs"), AS_COMMONJS);
  });

  it("shares the pg that the application has", () => {
    const ofSdk = realpathSync(join(project, "node_modules/@oxbow/sdk"));
    const copies = ["../../pg", "node_modules/pg"]
      .map((path) => join(ofSdk, path))
      .filter((path) => existsSync(path))
      .map((path) => realpathSync(path));
    expect(copies).toEqual([realpathSync(join(project, "node_modules/pg"))]);
  });

  describe.each(NODE_VERSIONS)("on Node %s", (version) => {
    const run = async (command: string, ...args: string[]): Promise<string> => {
      const { stdout } = await runProgram(command, args, {
        cwd: project,
        path: [nodeFolder(version), join(project, "node_modules/.bin")],
        env: { QUEUE_URL: database.url },
      });
      return stdout.trim();
    };

    it("serves and starts a workflow from a module and from CommonJS, and answers the oxbow command", async () => {
      expect(await run("node", "--version")).toMatch(new RegExp(`^v${version}\\.`));
      expect(await run("oxbow", "migrate")).toMatch(/^Installed Oxbow|is up to date/);
      expect(await run("node", "module.mjs")).toBe(`Hello, Ada from Node ${version}`);
      expect(await run("node", "common.cjs")).toBe("Hello, Grace");
      const [run1 = ""] = (await run("oxbow", "runs", "list", "--json")).split("\n");
      expect(JSON.parse(run1)).toMatchObject({ status: "completed" });
    });
  });
});

describe.each(TYPESCRIPTS)("TypeScript %s", (version) => {
  it.each([
    ["node16", "index.mts"],
    ["nodenext", "index.mts"],
    ["nodenext", "index.cts"],
    ["bundler", "index.ts"],
  ])("checks input and result under moduleResolution %s in %s", async (resolution, file) => {
    await expect(typeErrors(version, resolution, file, TYPED_PROGRAM)).resolves.toBe("");
  });

  // TypeScript's node16 doesn't know that Node can require ES modules.
  it("imports the client dynamically under moduleResolution node16 in index.cts", async () => {
    await expect(typeErrors(version, "node16", "index.cts", DYNAMIC_IMPORT)).resolves.toBe("");
  });
});

/** The tarballs, in an empty folder whose application has dependencies already. */
async function install(
  installer: Installer,
  project: string,
  dependencies: Readonly<Record<string, string>>,
): Promise<void> {
  mkdirSync(project);
  const archives = readdirSync(packed);
  const own = Object.fromEntries(
    PACKAGES.map((name) => {
      const archive = archives.find((file) => file.startsWith(`oxbow-${name}-`)) ?? "";
      return [`@oxbow/${name}`, `file:${join(packed, archive)}`];
    }),
  );
  const all = { ...dependencies, ...own };
  // They ask for each other in a version that is on no registry before it is released.
  const overrides = own;
  const manifest =
    installer === "npm" ? { dependencies: all } : { dependencies: all, pnpm: { overrides } };
  writeFileSync(join(project, "package.json"), JSON.stringify(manifest));
  const [command, args]: [string, string[]] =
    installer === "npm"
      ? ["npm", ["install", "--omit=optional", "--no-audit", "--no-fund"]]
      : ["npx", ["--yes", PNPM, "install", "--no-optional", "--no-frozen-lockfile"]];
  await runProgram(command, args, { cwd: project });
}

/** The errors that the compiler of a version prints for a program. */
async function typeErrors(
  version: string,
  moduleResolution: string,
  file: string,
  source: string,
): Promise<string> {
  const project = mkdtempSync(join(folder, "npm", "types-"));
  writeFileSync(join(project, file), source);
  const compilerOptions = {
    strict: true,
    noEmit: true,
    target: "es2022",
    lib: ["es2022", "esnext.disposable", "dom"],
    module: moduleResolution === "bundler" ? "esnext" : moduleResolution,
    moduleResolution,
    skipLibCheck: true,
    types: [],
  };
  writeFileSync(
    join(project, "tsconfig.json"),
    JSON.stringify({ compilerOptions, include: [file] }),
  );
  const tsc = join(toolFolder(`typescript@${version}`), "typescript/bin/tsc");
  return runProgram("node", [tsc, "-p", project], { cwd: project }).then(
    ({ stdout }) => stdout,
    String,
  );
}

/** Installs a package that runs the packages under test, in a separate folder. */
async function installTool(tool: string): Promise<void> {
  const target = join(folder, tool);
  mkdirSync(target);
  writeFileSync(join(target, "package.json"), "{}");
  await runProgram("npm", ["install", "--no-audit", "--no-fund", tool], { cwd: target });
}

function toolFolder(tool: string): string {
  return join(folder, tool, "node_modules");
}

function nodeFolder(version: string): string {
  return join(toolFolder(`${nodePackage()}@${version}`), nodePackage(), "bin");
}

/** The package that holds Node's program for this machine. */
function nodePackage(): string {
  return `node-${process.platform}-${process.arch}`;
}
