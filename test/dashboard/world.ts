/**
 * The tests of the dashboard share one database with a worker, one server and one browser. Each test has its own tab, in
 * a separate browser context; an error of the page, a violation of its policy or a request to elsewhere fails the test.
 */
import type { Browser } from "puppeteer-core";
import { expect, onTestFinished } from "vitest";
import { findBrowser, openBrowser } from "../helpers/browser.ts";
import { secretOf, startTestServer, type TestServer } from "../helpers/server.ts";
import { Tab } from "../helpers/tab.ts";
import { setupWorkflows, type WorkflowBench } from "../helpers/workflows.ts";
import { WORKFLOWS } from "./workflows.ts";

const TOKEN = "let-me-in";
export const browserPath = findBrowser();

let bench: WorkflowBench;
let server: TestServer;
let browser: Browser;

export async function setupWorld(): Promise<void> {
  bench = await setupWorkflows();
  bench.serve(WORKFLOWS);
  server = await startTestServer(bench.database, { secrets: `${TOKEN},reader:read` });
  if (browserPath !== undefined) browser = await openBrowser(browserPath);
}

/** The shared database, client and server. */
export const world = (): { bench: WorkflowBench; server: TestServer } => ({ bench, server });

interface TabOptions {
  /** Name of a secret. */
  readonly token?: string;
  readonly url?: string;
  /** Another site that the tab may visit. */
  readonly mayVisit?: string;
  /** A database is away, so that the server answers 503. */
  readonly isUnavailable?: true;
}

/** Opens a tab that is signed in, at an address such as `#/runs`. */
export async function openTab(address: string, options: TabOptions = {}): Promise<Tab> {
  const { token = TOKEN, url = server.url, mayVisit, isUnavailable = false } = options;
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const tab = new Tab(page, url, mayVisit);
  onTestFinished(async () => {
    await context.close();
    const meant = isUnavailable ? /status of [45]\d\d/ : /^$/;
    expect(tab.troubles.filter((text) => !meant.test(text))).toEqual([]);
  });
  await page.evaluateOnNewDocument((secret: string) => {
    // The page runs this in the browser.
    const { sessionStorage } = globalThis as unknown as {
      sessionStorage: { setItem(key: string, value: string): void };
    };
    if (secret !== "") sessionStorage.setItem("oxbow-token", secret);
  }, secretOf(token));
  await tab.goTo(address);
  return tab;
}
