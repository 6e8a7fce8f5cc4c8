/** A page of an application with the components of the guide, which its server renders, in a real browser. */
import { findFreePort } from "@oxbow/sdk/internal/testing";
import { createElement, type FunctionComponent, StrictMode } from "react";
import { renderToString } from "react-dom/server";
import axe from "axe-core";
import { build } from "esbuild";
import { readFileSync } from "node:fs";
import type { RequestListener } from "node:http";
import { join } from "node:path";
import type { Browser } from "puppeteer-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findBrowser, openBrowser } from "../helpers/browser.ts";
import { serveHttp } from "../helpers/http-server.ts";
import { startServerProcess } from "../helpers/server-process.ts";
import { Tab } from "../helpers/tab.ts";
import type { WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";
import { forNode, writeGuide } from "./guide.ts";
import { onboardUser, ticking } from "./workflows.ts";
import { KEY, sign } from "./world.ts";

const browserPath = findBrowser();
const missing = browserPath === undefined ? ": no Chromium, so set OXBOW_TEST_BROWSER" : "";

/** Besides the page of the guide, one that shows all of a run in two places. */
const FILES = {
  "ticks.tsx": `import { OxbowProvider, RunProgress, useRun, useRunStream } from "@oxbow/react";
export function Ticks({ runId, url }) {
  const token = async () => (await fetch(\`/api/runs/\${runId}/token\`)).text();
  return <OxbowProvider url={url} token={token}><Shown runId={runId} /><Stream runId={runId} /></OxbowProvider>;
}
function Shown({ runId }) {
  const run = useRun(runId);
  return <section>
    <h1>Round {run.state.round}</h1>
    <RunProgress runId={runId} />
    <p id="connection">{run.isReconnecting ? "lost" : "well"}</p>
  </section>;
}
function Stream({ runId }) {
  return <p id="stream">{useRunStream(runId).chunks.join(",")}</p>;
}`,
  "client.tsx": `import { StrictMode } from "react";
import { hydrateRoot } from "react-dom/client";
import { App } from "./app.tsx";
import { Ticks } from "./ticks.tsx";
const { page, runId, url } = document.getElementById("root").dataset;
const Page = page === "app" ? App : Ticks;
hydrateRoot(document.getElementById("root"), <StrictMode><Page runId={runId} url={url} /></StrictMode>);`,
};

let bench: WorkflowBench;
let browser: Browser;
let oxbow: WorkerProcess;
let serve: () => Promise<WorkerProcess>;
let url: string;
let pageUrl: string;
const components: Record<string, FunctionComponent<{ runId: string; url: string }>> = {};
let script: Uint8Array;
let style: string;

async function setupPages(path: string): Promise<void> {
  bench = await setupWorkflows();
  bench.serve([ticking, onboardUser]);
  const [port, pagePort] = [await findFreePort(), await findFreePort()];
  url = `http://127.0.0.1:${port}`;
  pageUrl = `http://127.0.0.1:${pagePort}`;
  const env = { OXBOW_RUN_TOKEN_KEYS: KEY, OXBOW_ALLOWED_ORIGINS: pageUrl };
  serve = () => startServerProcess({ database: bench.database.url, port, env });
  oxbow = await serve();
  const folder = writeGuide(url, FILES);
  for (const [name, file] of [
    ["App", "app.tsx"],
    ["Ticks", "ticks.tsx"],
  ] as const) {
    const exports = (await import(await forNode(folder, file))) as typeof components;
    const component = exports[name];
    if (component !== undefined) components[name.toLowerCase()] = component;
  }
  const { outputFiles } = await build({
    entryPoints: [join(folder, "client.tsx")],
    bundle: true,
    format: "esm",
    jsx: "automatic",
    // React complains of what differs from the server's page.
    define: { "process.env.NODE_ENV": '"development"' },
    outdir: join(folder, "built"),
    write: false,
  });
  script = outputFiles.find((file) => file.path.endsWith(".js"))?.contents ?? new Uint8Array();
  style = readFileSync(new URL("../../react/style.css", import.meta.url), "utf8");
  await startApplication(pagePort);
  browser = await openBrowser(path);
}

/** The application: its pages, its script, its style, and its route for tokens. */
async function startApplication(port: number): Promise<void> {
  const listener: RequestListener = (request, response) => {
    const [, kind = "", runId = ""] = /^\/(?:api\/)?(\w+)\/(\d+)/.exec(request.url ?? "") ?? [];
    const Page = components[kind];
    const send = (type: string, body: string | Uint8Array): void => {
      response.writeHead(200, { "content-type": type }).end(body);
    };
    if (request.url === "/client.js") send("text/javascript", script);
    else if (request.url === "/style.css") send("text/css", style);
    else if (kind === "runs") void sign(runId).then((token) => send("text/plain", token));
    else if (Page === undefined) response.writeHead(404).end();
    else {
      const element = createElement(StrictMode, null, createElement(Page, { runId, url }));
      const root = `<div id="root" data-page="${kind}" data-run-id="${runId}" data-url="${url}">${renderToString(element)}</div>`;
      send(
        "text/html; charset=utf-8",
        `<!doctype html><html lang="en"><title>A run</title><link rel="icon" href="data:,"><link rel="stylesheet" href="/style.css"><main>${root}</main><script type="module" src="/client.js"></script></html>`,
      );
    }
  };
  await serveHttp(listener, port);
}

/** Opens a tab, whose troubles fail the test, except those of a server that is away. */
async function open(address: string, isAway = false): Promise<Tab> {
  const context = await browser.createBrowserContext();
  const tab = new Tab(await context.newPage(), pageUrl, url);
  onTestFinished(async () => {
    await context.close();
    const meant = isAway ? /net::ERR_|CORS policy/ : /^$/;
    const troubles = tab.troubles.filter((text) => !meant.test(text) && text !== "data:,");
    expect(troubles).toEqual([]);
  });
  await tab.goTo(address);
  return tab;
}

describe.skipIf(browserPath === undefined)(`a page with a run${missing}`, () => {
  beforeAll(() => setupPages(browserPath ?? ""));

  it("shows its progress live, and approves it by a button", async () => {
    const { runId } = await bench.client.start(onboardUser, { email: "a@example.com" });
    const tab = await open(`app/${runId}`);
    await tab.shows(/Waiting\s+Create your account\s+done/);
    expect(await tab.text("[role=status]")).toBe("Waiting");
    await tab.page.evaluate(axe.source);
    const { violations } = (await tab.page.evaluate("axe.run()")) as axe.AxeResults;
    expect(violations.filter(({ id }) => id !== "page-has-heading-one")).toEqual([]);
    await tab.press("Approve");
    await tab.shows(/Completed[^]*Send a welcome\s+done\s+Welcome, user of a@example.com/);
    expect(await tab.count("button")).toBe(0);
    expect((await bench.client.runs.find(runId)).output).toMatchObject({ by: "Ada" });
  });

  it("continues after the server was killed and started again, with one connection", async () => {
    const { runId } = await bench.client.start(ticking, { rounds: 3 });
    const tab = await open(`ticks/${runId}`, true);
    const asked: string[] = [];
    tab.page.on("request", (request) => {
      if (request.method() === "GET" && request.url().includes("/events"))
        asked.push(request.url());
    });
    await tab.shows(/Round 1/);
    await tab.shows(/^1$/, "#stream");
    await oxbow.kill();
    await tab.shows(/^lost$/, "#connection");
    await tab.shows(/Reconnecting/);
    expect(await tab.text()).toMatch(/Round 1[^]*tick-1\s+done/);
    await bench.client.signal(runId, "next-1", {});
    oxbow = await serve();
    await tab.shows(/Round 2/);
    await tab.shows(/^well$/, "#connection");
    await tab.shows(/^1,2$/, "#stream");
    const connections = asked.length;
    await bench.client.signal(runId, "next-2", {});
    await bench.client.signal(runId, "next-3", {});
    await tab.shows(/Completed/);
    await tab.shows(/^1,2,3$/, "#stream");
    expect(asked).toHaveLength(connections);
    expect(await tab.count("li")).toBe(6);
  });

  it("takes the style of the package", async () => {
    const { runId } = await bench.client.start(ticking, { rounds: 1 });
    const tab = await open(`ticks/${runId}`);
    await tab.shows(/tick-1\s+done/);
    const marker = await tab.page.evaluate(
      "getComputedStyle(document.querySelector('.oxbow-run-step'), '::before').content",
    );
    expect(marker).toMatch(/✓/);
  });
});
