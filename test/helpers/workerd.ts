/** Workers of Cloudflare: bundled as wrangler does it, and executed by workerd, the runtime that Cloudflare has. */
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { build } from "esbuild";
import { spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { ROOT } from "./compiled.ts";
import { eventually } from "./eventually.ts";
import { atFileEnd } from "./file-end.ts";
import { WorkerProcess } from "./worker-process.ts";

const require = createRequire(import.meta.url);
/** Nothing declares its types. */
const { default: WORKERD } = require("workerd") as { readonly default: string };

export interface CloudflareWorker {
  readonly url: string;
  /** What is in the bundle. */
  readonly files: readonly string[];
  readonly process: WorkerProcess;
}

/** Starts a worker, which may reach this machine alone, and waits until it answers. It ends with the file. */
export async function startCloudflareWorker(
  entry: URL,
  bindings: Readonly<Record<string, string>>,
): Promise<CloudflareWorker> {
  const folder = await mkdtemp(join(tmpdir(), "oxbow-workerd-"));
  atFileEnd(() => rm(folder, { recursive: true }));
  const { metafile } = await build({
    entryPoints: [fileURLToPath(entry)],
    absWorkingDir: ROOT,
    outfile: join(folder, "worker.js"),
    bundle: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    conditions: ["workerd", "worker", "browser"],
    external: ["node:*"],
    metafile: true,
  });
  const port = await findFreePort();
  await writeFile(join(folder, "config.capnp"), configOf(port, bindings));
  const child = spawn(WORKERD, ["serve", join(folder, "config.capnp")], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  const process = new WorkerProcess(child);
  atFileEnd(() => process.kill());
  const url = `http://127.0.0.1:${port}`;
  await eventually(
    () => fetch(url),
    ({ status }) => status > 0,
  );
  return { url, files: Object.keys(metafile.inputs), process };
}

const configOf = (port: number, bindings: Readonly<Record<string, string>>): string => `
using Workerd = import "/workerd/workerd.capnp";
const config :Workerd.Config = (
  services = [
    (name = "worker", worker = .worker),
    (name = "this-machine", network = (allow = ["local"])),
  ],
  sockets = [(name = "http", address = "127.0.0.1:${port}", service = "worker")],
);
const worker :Workerd.Worker = (
  modules = [(name = "worker.js", esModule = embed "worker.js")],
  compatibilityDate = "2026-07-01",
  compatibilityFlags = ["nodejs_compat"],
  globalOutbound = "this-machine",
  bindings = [${Object.entries(bindings)
    .map(([name, text]) => `(name = "${name}", text = ${JSON.stringify(text)})`)
    .join(", ")}],
);
`;
