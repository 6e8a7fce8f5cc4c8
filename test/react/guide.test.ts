/** The components of `docs/guides/show-a-run.md`: they compile, a server renders them, and they show a run and approve it. */
import { createElement, type ReactElement, StrictMode } from "react";
import { createRoot } from "react-dom/client";
import { renderToString } from "react-dom/server";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it, onTestFinished, vi } from "vitest";
import { ROOT } from "../docs/pages.ts";
import { eventually } from "../helpers/eventually.ts";
import { runProgram } from "../helpers/run-program.ts";
import { openSmallDocument } from "../helpers/small-document.ts";
import { forNode, writeGuide } from "./guide.ts";
import { onboardUser, ticking } from "./workflows.ts";
import { KEY, setupWorld, sign } from "./world.ts";

const makeElement = openSmallDocument();

vi.stubEnv("OXBOW_RUN_TOKEN_KEYS", KEY);
const world = await setupWorld();
const folder = writeGuide(world.server.url);
Object.assign(globalThis, { client: world.bench.client });

const load = async <Exports>(file: string): Promise<Exports> =>
  (await import(await forNode(folder, file))) as Exports;

/** The token route of the application. */
function answerTokens(): void {
  const { fetch } = globalThis;
  const spy = vi.spyOn(globalThis, "fetch").mockImplementation(async (asked, init) => {
    const [, runId] =
      /^\/api\/runs\/(\d+)\/token$/.exec(asked instanceof Request ? asked.url : String(asked)) ??
      [];
    return runId === undefined ? fetch(asked, init) : new Response(await sign(runId));
  });
  onTestFinished(() => spy.mockRestore());
}

it("compiles, against the types of the packages", async () => {
  const compilerOptions = {
    customConditions: [],
    noEmit: true,
    jsx: "react-jsx",
    // A bundler knows what a style is.
    noUncheckedSideEffectImports: false,
    noUncheckedIndexedAccess: false,
    isolatedDeclarations: false,
  };
  const config = {
    extends: join(ROOT, "tsconfig.base.json"),
    compilerOptions,
    include: ["*.ts", "*.tsx"],
  };
  writeFileSync(join(folder, "tsconfig.json"), JSON.stringify(config));
  const tsc = join(ROOT, "node_modules/typescript/bin/tsc");
  const { stdout } = await runProgram(process.execPath, [tsc, "-p", folder], { cwd: ROOT });
  expect(stdout).toBe("");
});

it("shows the progress of a run, approves it, and shows its output", async () => {
  answerTokens();
  const { App } = await load<{ App: (props: { runId: string }) => ReactElement }>("app.tsx");
  const { runId } = await world.bench.client.start(onboardUser, { email: "a@example.com" });
  const page = makeElement();
  const root = createRoot(page);
  onTestFinished(() => root.unmount());
  root.render(createElement(StrictMode, null, createElement(App, { runId })));
  const shows = (pattern: RegExp): Promise<string> =>
    eventually(
      () => page.textContent,
      (text) => pattern.test(text),
    );
  await shows(/^WaitingCreate your account doneApprove$/);
  page.press();
  await shows(
    /^CompletedCreate your account doneApprove doneSend a welcome doneWelcome, user of a@example.com.$/,
  );
  expect(page.all("button")).toEqual([]);
});

it("renders on a server what is known of the run", async () => {
  const { RunPage } = await load<{
    RunPage: (props: { runId: string; url: string }) => Promise<ReactElement>;
  }>("run-page.tsx");
  const { runId } = await world.bench.client.start(ticking, { rounds: 1 });
  await eventually(() => world.bench.client.runs.find(runId), { activity: "waiting" });
  const { url } = world.server;
  const html = renderToString(await RunPage({ runId, url }));
  expect(html).toBe(
    '<div class="oxbow-run" data-status="running"><p class="oxbow-run-status" role="status" aria-live="polite">Waiting</p><ol class="oxbow-run-steps"><li class="oxbow-run-step" data-state="done"><span class="oxbow-run-step-name">tick-1</span> <span class="oxbow-run-step-state">done</span></li></ol></div>',
  );
  await world.bench.client.signal(runId, "next-1", {});
  await eventually(() => world.bench.client.runs.find(runId), { status: "completed" });
  expect(renderToString(await RunPage({ runId, url }))).toContain(">Completed</p>");
});
