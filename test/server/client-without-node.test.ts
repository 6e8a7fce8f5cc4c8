/** A client in a browser or on an edge runtime: it talks to a server by `fetch`, and brings no driver. */
import { createWorkflowClient } from "@oxbow/sdk";
import { createWorker, workflow } from "@oxbow/sdk/runtime";
import { build } from "esbuild";
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { createDatabase } from "../helpers/database.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { startTestServer } from "../helpers/server.ts";
import { startWorkerProcess } from "../helpers/worker-process.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const PROGRAM = new URL("../helpers/programs/without-node.ts", import.meta.url);

it.each([
  ["a browser", ["browser"]],
  ["Cloudflare Workers", ["workerd", "worker", "browser"]],
  ["an edge function", ["edge-light", "worker"]],
])("starts and follows runs where Node is missing, bundled for %s", async (_, conditions) => {
  const folder = await mkdtemp(join(tmpdir(), "oxbow-bundle-"));
  atFileEnd(() => rm(folder, { recursive: true }));
  const { metafile } = await build({
    stdin: { contents: 'export * from "@oxbow/sdk"', resolveDir: ROOT },
    bundle: true,
    format: "iife",
    globalName: "oxbow",
    platform: "browser",
    conditions,
    minify: true,
    metafile: true,
    outfile: join(folder, "client.js"),
  });
  const imported = Object.values(metafile.inputs).flatMap(({ imports }) =>
    imports.filter(({ external }) => external === true).map(({ path }) => path),
  );
  expect(imported).toEqual([]);
  expect(Object.keys(metafile.inputs).filter((path) => path.includes("node_modules/pg"))).toEqual(
    [],
  );

  const database = await createDatabase();
  const server = await startTestServer(database);
  const greet = workflow({
    name: "greet",
    run: (ctx, { name }: { name: string }) => {
      ctx.stream.write(`Dear ${name}`);
      return ctx.step.run("greeting", () => `Hello ${name}`);
    },
  });
  const worker = createWorker({ url: database.url, workflows: [greet] });
  const program = startWorkerProcess(PROGRAM, { args: [join(folder, "client.js"), server.url] });
  const line = await program.line(/^\{/);
  expect(JSON.parse(line)).toEqual({
    output: "Hello Ada",
    chunks: ["Dear Ada"],
    refused:
      "InvalidArgument: This runtime can't connect to a Postgres database: give the url of a server, like https://oxbow.example.com.",
  });
  await using client = createWorkflowClient({ url: database.url });
  expect(await client.queues.peek("letters", { max: 10 })).toHaveLength(1);
  await worker.stop();
});
