/** The page of examples/agent in a real browser: its answer outlives a reload and a killed worker. */
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { UIMessage } from "ai";
import axe from "axe-core";
import type { Browser } from "puppeteer-core";
import { beforeAll, describe, expect, inject, it, onTestFinished } from "vitest";
import { type Application, startApplication } from "../../examples/agent/server.ts";
import { TABLES } from "../../examples/agent/shop.ts";
import { findBrowser, openBrowser } from "../helpers/browser.ts";
import { eventually } from "../helpers/eventually.ts";
import { atFileEnd } from "../helpers/file-end.ts";
import { Tab } from "../helpers/tab.ts";
import { startWorkerProcess, type WorkerProcess } from "../helpers/worker-process.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/agent", import.meta.url));
const VITE = fileURLToPath(new URL("../../node_modules/vite/bin/vite.js", import.meta.url));
const browserPath = findBrowser();
const missing = browserPath === undefined ? ": no Chromium, so set OXBOW_TEST_BROWSER" : "";

let bench: WorkflowBench;
let application: Application;
let browser: Browser;
let page: string;

async function setupExample(path: string): Promise<void> {
  bench = await setupWorkflows();
  await bench.database.query(TABLES);
  page = join(inject("folderOfRun"), "agent");
  const { status, stderr } = spawnSync(
    process.execPath,
    [VITE, "build", "--logLevel", "error", "--outDir", page],
    { cwd: EXAMPLE, encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
  );
  if (status !== 0) throw new Error(`The page can't be built: ${stderr}`);
  application = await startApplication(bench.client, { page });
  atFileEnd(() => application[Symbol.asyncDispose]());
  browser = await openBrowser(path);
}

/** A worker process that lives as long as the test. */
function startWorker(assistant: string): WorkerProcess {
  const worker = startWorkerProcess(new URL("../../examples/agent/worker.ts", import.meta.url), {
    env: { QUEUE_URL: bench.database.url, ASSISTANT: assistant, MODEL: "" },
  });
  onTestFinished(async () => {
    await worker.kill();
  });
  return worker;
}

/** Opens the page of a chat. */
async function open(chatId: string, isAway = false): Promise<Tab> {
  const context = await browser.createBrowserContext();
  const tab = new Tab(await context.newPage(), application.url);
  onTestFinished(async () => {
    await context.close();
    const meant = isAway ? /net::ERR_/ : /^$/;
    const troubles = tab.troubles.filter((text) => !meant.test(text) && text !== "data:,");
    expect(troubles).toEqual([]);
  });
  await tab.goTo(`#${chatId}`);
  await tab.shows(/Your question/);
  return tab;
}

async function ask(tab: Tab, question: string): Promise<void> {
  await tab.fill("Your question", question);
  await tab.press("Send");
}

/** The texts of the answer, as the page shows them. */
const shownBy = ({ page: shown }: Tab): Promise<string[]> =>
  shown.$$eval(".messages .assistant .text", (elements) =>
    elements.map((element) => (element as unknown as { textContent: string }).textContent),
  );

const textsOf = ({ parts }: UIMessage): string[] =>
  parts.flatMap((part) => (part.type === "text" && part.text !== "" ? [part.text] : []));

/** The output of the last run of a chat, once it is complete. */
async function answerOf(chatId: string): Promise<UIMessage> {
  const filter = { workflow: "support", idempotencyKey: chatId };
  const run = await eventually(
    async () => (await bench.client.runs.list(filter, { withValues: true }).next()).value?.runs[0],
    { status: "completed" },
    { withinMs: 120_000 },
  );
  return run?.output as UIMessage;
}

describe.skipIf(browserPath === undefined)(`the page of the agent${missing}`, () => {
  beforeAll(() => setupExample(browserPath ?? ""));

  it("resumes after a reload and after the death of the worker, shows one answer, and refunds once when it is approved", async () => {
    const first = startWorker("Olga");
    const tab = await open("refund");
    await ask(tab, "Order 7 arrived broken. I want my money back.");
    await tab.shows(/this is Olga\. I have/);
    await tab.page.reload();
    await tab.shows(/this is Olga\. I have found[^]* I am sorry/);
    await first.kill();
    const [cut = ""] = await shownBy(tab);
    expect(cut).toMatch(/^Hello, this is Olga/);
    expect(cut).not.toContain("when you come back");

    startWorker("Bert");
    await tab.shows(/this is Bert[^]* when you come back\./);
    expect(await shownBy(tab)).toHaveLength(1);
    await tab.shows(/Refund order 7\?/, ".desk");
    expect(await bench.database.query("select from shop.refund")).toEqual([]);
    await tab.page.reload();
    await tab.shows(/this is Bert[^]* when you come back\.[^]*refund: in progress/);
    await tab.page.evaluate(axe.source);
    const { violations } = (await tab.page.evaluate("axe.run()")) as axe.AxeResults;
    expect(violations).toEqual([]);

    await tab.press("Approve");
    await tab.shows(/the mail that I have sent to you\./);
    const answer = await answerOf("refund");
    expect(await shownBy(tab)).toEqual(textsOf(answer));
    expect(JSON.stringify(answer)).not.toContain("Olga");
    const refunds = await bench.database.query("select purchase, sum::float from shop.refund");
    expect(refunds).toEqual([{ purchase: 7, sum: 39 }]);
    expect(await bench.database.query("select from shop.mail")).toHaveLength(1);

    await tab.page.reload();
    await tab.shows(/the mail that I have sent to you\./);
    expect(await shownBy(tab)).toEqual(textsOf(answer));
  });

  it("comes back by itself after its server was away, with the answer that ended meanwhile", async () => {
    startWorker("Olga");
    const tab = await open("away", true);
    await ask(tab, "Which lamps do you have?");
    await tab.shows(/this is Olga/);
    const port = Number(new URL(application.url).port);
    await application[Symbol.asyncDispose]();
    await tab.shows(/Connecting…/);
    const answer = await answerOf("away");
    application = await startApplication(bench.client, { page, port });
    await tab.shows(/Floor lamp Vera for 129 euros/);
    expect(await shownBy(tab)).toEqual(textsOf(answer));
    await ask(tab, "And which orders do I have?");
    await tab.shows(/order 7 of Desk lamp Otto, order 8 of Night light Nils\./);
  });

  it("gives a refusal to the model, which explains it", async () => {
    startWorker("Olga");
    const tab = await open("refused");
    await ask(tab, "Order 8 arrived broken. I want my money back.");
    await tab.shows(/Refund order 8\?/, ".desk");
    await tab.press("Reject");
    await tab.shows(
      /I can't pay your money back\. The reason: The call of refund was refused by desk\./,
    );
    const refunds = await bench.database.query("select from shop.refund where purchase = 8");
    expect(refunds).toEqual([]);
  });

  it("breaks no invariant", async () => {
    expect(await bench.violations()).toEqual([]);
  });
});
