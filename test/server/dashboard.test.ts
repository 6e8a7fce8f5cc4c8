/** The dashboard, in a real browser over a real server. */
import { workflow } from "@oxbow/sdk/runtime";
import type { Browser, Page } from "puppeteer-core";
import { beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { findBrowser, openBrowser } from "../helpers/browser.ts";
import { createDatabase } from "../helpers/database.ts";
import { eventually } from "../helpers/eventually.ts";
import { startTestServer, type TestServer, secretOf } from "../helpers/server.ts";
import { subscribe } from "../helpers/topics.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";

const TOKEN = "let-me-in";
const path = findBrowser();

let hasFailed = false;
const order = workflow({
  name: "order",
  run: async (ctx) => {
    await ctx.step.run("charge", () => 1);
    await ctx.step.waitForEvent("shipped");
    await ctx.step.run("notify", () => 2);
    return { thanks: "<b>a lot</b>" };
  },
});
const flaky = workflow({
  name: "flaky",
  run: async (ctx) =>
    ctx.step.run(
      "once",
      () => {
        if (hasFailed) return "mended";
        hasFailed = true;
        throw new Error("the first time it fails");
      },
      { retry: { attempts: 1 } },
    ),
});

let bench: WorkflowBench;
let server: TestServer;
let browser: Browser;

beforeAll(async () => {
  bench = await setupWorkflows();
  bench.serve([order, flaky]);
  server = await startTestServer(bench.database, { secrets: TOKEN });
  if (path !== undefined) browser = await openBrowser(path);
});

/** A separate tab; errors in it fail the test, and so does a request to anywhere else. */
async function openTab(address: string): Promise<Page> {
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const troubles: string[] = [];
  page.on("pageerror", (error) => void troubles.push(String(error)));
  page.on("console", (message) => {
    // The browser itself logs that a token is needed.
    if (message.type() === "error" && !message.text().includes("401")) {
      troubles.push(message.text());
    }
  });
  const foreign: string[] = [];
  page.on("request", (request) => {
    if (!request.url().startsWith(server.url)) foreign.push(request.url());
  });
  onTestFinished(async () => {
    await context.close();
    expect({ troubles, foreign }).toEqual({ troubles: [], foreign: [] });
  });
  await page.goto(`${server.url}/`);
  await page.waitForSelector("#token-dialog[open]");
  await page.type("#token", secretOf(TOKEN));
  await page.keyboard.press("Enter");
  await page.waitForSelector("#token-dialog:not([open])");
  await page.goto(`${server.url}/${address}`);
  return page;
}

const textOf = (page: Page, selector = "main"): Promise<string> =>
  page.$eval(selector, (element) => (element as unknown as { innerText: string }).innerText);

const shows = (page: Page, pattern: RegExp, selector?: string): Promise<string> =>
  eventually(
    () => textOf(page, selector).catch(() => ""),
    (text) => pattern.test(text),
    { withinMs: 60_000 },
  );

const press = (page: Page, label: string): Promise<void> =>
  page.locator(`::-p-xpath(//button[normalize-space()="${label}"])`).click();

describe("the files of the dashboard", () => {
  it("come without a token, hold to a strict policy, and aren't sent twice", async () => {
    const page = await fetch(`${server.url}/`);
    expect(page.status).toBe(200);
    expect(page.headers.get("content-security-policy")).toMatch(/default-src 'none'/);
    const html = await page.text();
    expect(html).not.toMatch(/(?:src|href)="(?:https?:)?\/\//);
    const script = await fetch(`${server.url}/dashboard/app.js`);
    expect(script.headers.get("content-type")).toMatch("text/javascript");
    const again = await fetch(`${server.url}/dashboard/app.js`, {
      headers: { "if-none-match": script.headers.get("etag") ?? "" },
    });
    expect(again.status).toBe(304);
    for (const file of ["../package.json", "..%2fpackage.json", "nothing.js"]) {
      expect((await fetch(`${server.url}/dashboard/${file}`)).status).toBe(404);
    }
  });
});

const missing = path === undefined ? ": no Chromium, so set OXBOW_TEST_BROWSER" : "";

describe.skipIf(path === undefined)(`the dashboard${missing}`, () => {
  it("shows workflows, and leads by way of their runs to one", async () => {
    const run = await bench.client.start(order, undefined);
    const page = await openTab("");
    await shows(page, /order/);
    await page.locator("main a[href='#/runs?workflow=order']").click();
    await shows(page, /Runs of order[^]*live/);
    await page.locator(`main a[href='#/runs/${run.runId}']`).click();
    await shows(page, /Timeline[^]*charge[^]*Waits for event "shipped"/);
    expect(await page.title()).toBe(`order ${run.runId} · Oxbow`);
  });

  it("follows a run live to its end, and shows its output as text", async () => {
    const run = await bench.client.start(order, undefined);
    const page = await openTab(`#/runs/${run.runId}`);
    await shows(page, /Waits for event/);
    await bench.client.signal(run.runId, "shipped", {});
    // The end and the last step arrive one after the other.
    expect(await shows(page, /notify[^]*<b>a lot<\/b>/)).toMatch(/completed/);
  });

  it("shows a new run of the list by itself", async () => {
    const page = await openTab("#/runs?workflow=order");
    await shows(page, /live/);
    const { runId } = await bench.client.start(order, undefined);
    await page.waitForSelector(`main a[href='#/runs/${runId}']`);
  });

  it("pauses, resumes and cancels a run", async () => {
    const run = await bench.client.start(order, undefined);
    const page = await openTab(`#/runs/${run.runId}`);
    await press(page, "Pause");
    await shows(page, /paused/, "main .title");
    await press(page, "Resume");
    await shows(page, /waiting/, "main .title");
    await press(page, "Cancel");
    await press(page, "No");
    expect((await run.status()).status).toBe("running");
    await press(page, "Cancel");
    await press(page, "Cancel the run");
    await shows(page, /cancelled/, "main .title");
  });

  it("shows why a run failed, and retries it", async () => {
    const run = await bench.client.start(flaky, undefined);
    await run.result().catch(() => {});
    const page = await openTab(`#/runs/${run.runId}`);
    await shows(page, /the first time it fails/, "main .problem");
    await press(page, "Retry");
    await shows(page, /Output[^]*mended/);
  });

  it("filters, keeps the filters in the address, and reports what it can't read", async () => {
    const tagged = await bench.client.start(order, undefined, { tags: { customer: 7 } });
    const page = await openTab("#/runs");
    await page.waitForSelector("form.filters");
    await page.type("input[name=tags]", '{"customer": 7}');
    await page.keyboard.press("Enter");
    await eventually(
      () => page.$$eval("tbody tr", (rows) => rows.length),
      (count) => count === 1,
    );
    expect(await textOf(page)).toContain(tagged.runId);
    expect(page.url()).toContain("tags=");
    await page.goto(`${server.url}/#/runs?tags=nonsense`);
    await shows(page, /"nonsense" is no JSON/);
  });

  it("shows that a copy is one", async () => {
    const copy = await createDatabase();
    await copy.query("select queue.hold_incarnation('a test')");
    const held = await startTestServer(copy);
    const context = await browser.createBrowserContext();
    onTestFinished(() => context.close());
    const page = await context.newPage();
    await page.goto(held.url);
    await shows(page, /a copy, and held/, "#incarnation");
    await copy.query("select queue.release_incarnation('live')");
    await page.locator("a[href='#/queues']").click();
    await page.waitForSelector("#incarnation[hidden]");
  });

  it("distinguishes a run that no worker has ever served from one that is merely ready", async () => {
    const { runId } = await bench.client.start("nosuch", undefined);
    const page = await openTab(`#/runs/${runId}`);
    await shows(page, /unserved[^]*No worker has ever served version 1 of workflow "nosuch"/);
  });

  it("shows no password of a url", async () => {
    await subscribe(bench.database, "private.#", { http: "https://user:pass@example.org/hook" });
    const page = await openTab("#/subscriptions");
    expect(await shows(page, /private\.#/)).toContain("https://user:***@example.org/hook");
  });

  it("shows queues, schedules and subscriptions", async () => {
    const { database } = bench;
    await database.query("select queue.create_queue('mail'), queue.send('mail', '{}')");
    await bench.client.schedules.create({ name: "nightly", workflow: "order", cron: "0 3 * * *" });
    const id = await subscribe(database, "paid.#", { http: "https://example.org/hook" });
    await database.query("select queue.delivery_failed($1, 'status 500', '0')", [id]);
    const page = await openTab("#/queues");
    await shows(page, /mail\s+standard\s+1/);
    await page.locator("nav a[href='#/schedules']").click();
    await shows(page, /nightly[^]*0 3 \* \* \*/);
    await page.locator("nav a[href='#/subscriptions']").click();
    await shows(page, /paid\.#[^]*disabled[^]*status 500/);
    await press(page, "Enable");
    await eventually(
      () => textOf(page),
      (text) => !text.includes("disabled"),
    );
  });

  it("fits a phone: nothing but tables is wider than the screen", async () => {
    const run = await bench.client.start(order, undefined);
    const page = await openTab(`#/runs/${run.runId}`);
    await page.setViewport({ width: 360, height: 720 });
    for (const address of ["", "#/runs", `#/runs/${run.runId}`, "#/subscriptions"]) {
      await page.goto(`${server.url}/${address}`);
      await page.waitForSelector("main h1");
      expect(
        await page.$eval("html", (html) => {
          const { scrollWidth, clientWidth } = html as unknown as Record<string, number>;
          return (scrollWidth ?? 0) - (clientWidth ?? 0);
        }),
      ).toBeLessThanOrEqual(0);
    }
  });
});
