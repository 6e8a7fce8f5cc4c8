/**
 * The tests of the dashboard share one database with a worker, one server and one browser. Each test has its own tab, in
 * a separate browser context; an error of the page, a violation of its policy or a request to elsewhere fails the test.
 */
import type { Browser, Page } from "puppeteer-core";
import { expect, onTestFinished } from "vitest";
import { findBrowser, openBrowser } from "../helpers/browser.ts";
import { eventually } from "../helpers/eventually.ts";
import { secretOf, startTestServer, type TestServer } from "../helpers/server.ts";
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
}

/** Opens a tab that is signed in, at an address such as `#/runs`. */
export async function openTab(address: string, options: TabOptions = {}): Promise<Tab> {
  const { token = TOKEN, url = server.url } = options;
  const context = await browser.createBrowserContext();
  const page = await context.newPage();
  const tab = new Tab(page, url);
  onTestFinished(async () => {
    await context.close();
    expect(tab.troubles).toEqual([]);
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

export class Tab {
  readonly page: Page;
  /** Errors, violations and foreign requests. */
  readonly troubles: string[] = [];
  readonly #url: string;

  constructor(page: Page, url: string) {
    this.page = page;
    this.#url = url;
    page.setDefaultTimeout(60_000);
    page.on("pageerror", (error) => void this.troubles.push(String(error)));
    page.on("console", (message) => {
      // The browser itself logs refusals of the server; pages show them.
      const isRefusal = /Failed to load resource: .* status of 4/.test(message.text());
      if ((message.type() === "error" || message.type() === "warn") && !isRefusal) {
        this.troubles.push(message.text());
      }
    });
    page.on("request", (request) => {
      const from = request.url();
      if (!from.startsWith(url) && !from.startsWith("blob:")) this.troubles.push(from);
    });
  }

  async goTo(address: string): Promise<void> {
    await this.page.goto(`${this.#url}/${address}`);
  }

  /** Waits until the page has its answers. */
  async settled(): Promise<void> {
    await this.page.waitForSelector("main h1");
    await this.page.waitForSelector("main [aria-busy=true]", { hidden: true });
  }

  /** The text of the page, or of a part of it. */
  text(selector = "main"): Promise<string> {
    return this.page.$eval(
      selector,
      (element) => (element as unknown as { innerText: string }).innerText,
    );
  }

  /** Waits until the page shows a text. */
  shows(pattern: RegExp, selector?: string): Promise<string> {
    return eventually(
      () => this.text(selector).catch(() => ""),
      (text) => pattern.test(text),
    );
  }

  /** Presses a button or follows a link, by its visible text. */
  async press(label: string): Promise<void> {
    await this.page
      .locator(
        `::-p-xpath(//*[self::button or self::a or self::summary][normalize-space()="${label}"])`,
      )
      .click();
  }

  /** Fills in the field with a label, in the dialog if one is open. */
  async fill(label: string, value: string): Promise<void> {
    await this.page.locator(`::-p-aria([name="${label}"])`).fill(value);
  }

  async count(selector: string): Promise<number> {
    return this.page.$$eval(selector, (elements) => elements.length);
  }
}
