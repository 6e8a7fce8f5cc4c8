/**
 * The tests of the editor share one build of the example that embeds it, a server of its files under a strict policy, and
 * one browser. Each test has its own browser context, in which its tabs share the drafts.
 */
import { spawnSync } from "node:child_process";
import { existsSync, readFileSync } from "node:fs";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import type { Browser, BrowserContext } from "puppeteer-core";
import { expect, inject, onTestFinished } from "vitest";
import { findBrowser, openBrowser } from "../helpers/browser.ts";
import { eventually } from "../helpers/eventually.ts";
import { serveHttp } from "../helpers/http-server.ts";
import { Tab } from "../helpers/tab.ts";

const EXAMPLE = fileURLToPath(new URL("../../examples/embedded-editor", import.meta.url));
const VITE = fileURLToPath(new URL("../../node_modules/vite/bin/vite.js", import.meta.url));
const TYPES: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
};
/** As strict as that of the dashboard. */
const policy = (workers: "'self'" | "'none'"): string =>
  `default-src 'none'; script-src 'self'; worker-src ${workers}; style-src 'self'; img-src 'self'; connect-src 'none'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`;
/** Beneath it, the policy forbids workers. */
const WITHOUT_WORKERS = "/without-workers/";

export const browserPath = findBrowser();

let url: string;
let browser: Browser;

export async function setupWorld(): Promise<void> {
  if (browserPath === undefined) return;
  const folder = join(inject("folderOfRun"), "embedded-editor");
  const { status, stderr } = spawnSync(
    process.execPath,
    [VITE, "build", "--logLevel", "error", "--outDir", folder],
    { cwd: EXAMPLE, encoding: "utf8", env: { ...process.env, NODE_ENV: "production" } },
  );
  if (status !== 0) throw new Error(`The example can't be built: ${stderr}`);
  url = await serveHttp((request, response) => {
    const asked = normalize(decodeURIComponent(new URL(request.url ?? "/", "http://x").pathname));
    const isWithout = asked.startsWith(WITHOUT_WORKERS);
    const path = isWithout ? `/${asked.slice(WITHOUT_WORKERS.length)}` : asked;
    const file = join(folder, path === "/" ? "index.html" : path);
    if (!existsSync(file)) {
      response.writeHead(404).end();
      return;
    }
    response.writeHead(200, {
      "content-type": TYPES[extname(file)] ?? "application/octet-stream",
      "content-security-policy": policy(isWithout ? "'none'" : "'self'"),
    });
    response.end(readFileSync(file));
  });
  browser = await openBrowser(browserPath);
}

/** A part of the document, as tests compare it. */
export type Draft = Record<string, unknown> & {
  readonly nodes: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
};

/** A tab with a definition. */
export class EditorTab extends Tab {
  readonly #name: string;

  constructor(page: Tab["page"], name: string) {
    super(page, url);
    this.#name = name;
  }

  /** Waits until the editor is loaded. */
  async ready(): Promise<void> {
    await this.page.waitForSelector(".oxe-toolbar");
    await this.page.waitForSelector(".react-flow__node, .oxe-empty-canvas");
  }

  /** The saved draft, once it fulfils a condition. */
  async draft(accept: (draft: Draft) => boolean = () => true): Promise<Draft> {
    await eventually(() => this.text(".oxe-saving"), "Saved");
    return eventually(
      async () => {
        const text = await this.page.evaluate(
          (key: string) =>
            (
              globalThis as unknown as {
                localStorage: { getItem(key: string): string | null };
              }
            ).localStorage.getItem(key),
          `oxbow-definition-${this.#name}`,
        );
        return (JSON.parse(text ?? "{}") as { document: Draft }).document;
      },
      (draft) => draft !== undefined && accept(draft),
    );
  }

  /** Types into the field with a label, after its text. */
  async type(label: string, text: string): Promise<void> {
    await this.page.locator(`::-p-aria([name="${label}"])`).click();
    await this.page.keyboard.type(text);
  }

  async choose(label: string, value: string): Promise<void> {
    await this.select(`select[aria-label="${label}"]`, value);
  }

  /** Presses a button by its accessible name. */
  async button(name: string): Promise<void> {
    await this.page.locator(`::-p-aria([name="${name}"][role="button"])`).click();
  }

  async keys(...names: Parameters<Tab["page"]["keyboard"]["press"]>[0][]): Promise<void> {
    for (const name of names) await this.page.keyboard.press(name);
  }

  /** Presses a key while Control is down. */
  async control(key: Parameters<Tab["page"]["keyboard"]["press"]>[0]): Promise<void> {
    await this.page.keyboard.down("Control");
    await this.page.keyboard.press(key);
    await this.page.keyboard.up("Control");
  }

  /** The text or the label of the element that has the focus. */
  async focused(name: "textContent" | "aria-label"): Promise<string> {
    const read = name === "textContent" ? name : `getAttribute("${name}")`;
    return String(await this.page.evaluate(`document.activeElement?.${read} ?? ""`));
  }

  /** The middle of an element on the screen. */
  async middleOf(selector: string): Promise<{ readonly x: number; readonly y: number }> {
    const element = await this.page.waitForSelector(selector);
    const box = await element?.boundingBox();
    if (box === null || box === undefined) throw new Error(`${selector} can't be seen.`);
    return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
  }
}

const isRefusedWorker = (text: string): boolean => text.includes("worker-src 'none'");

interface OpenOptions {
  readonly mayHaveWorkers?: boolean;
}

/** Opens a tab with a definition of the example. */
export async function openEditor(
  name: string,
  context?: BrowserContext,
  options?: OpenOptions,
): Promise<EditorTab> {
  const tab = await openPage(name, context, options);
  await tab.ready();
  return tab;
}

/** Opens a tab with a page of the example. */
export async function openPage(
  name: string,
  context?: BrowserContext,
  { mayHaveWorkers = true }: OpenOptions = {},
): Promise<EditorTab> {
  const own = context ?? (await browser.createBrowserContext());
  const page = await own.newPage();
  await page.setViewport({ width: 1_440, height: 900 });
  const tab = new EditorTab(page, name);
  onTestFinished(async () => {
    if (context === undefined) await own.close();
    const troubles = tab.troubles.filter((text) => mayHaveWorkers || !isRefusedWorker(text));
    expect(troubles).toEqual([]);
  });
  await tab.goTo(`${mayHaveWorkers ? "" : WITHOUT_WORKERS.slice(1)}#${name}`);
  return tab;
}
