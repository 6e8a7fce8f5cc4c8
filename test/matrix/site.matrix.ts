/** The documentation as a static site, in a real browser: whole without any other host, and searchable. */
import { execFileSync } from "node:child_process";
import { createReadStream, existsSync, statSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { findBrowser, openBrowser } from "../helpers/browser.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const DIST = join(ROOT, ".tmp/site/.vitepress/dist");
const TYPES: Readonly<Record<string, string>> = {
  ".html": "text/html",
  ".js": "text/javascript",
  ".css": "text/css",
  ".svg": "image/svg+xml",
};

/** As any static host with clean urls does. */
const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? "/", "http://localhost");
  const found = [pathname, `${pathname}.html`, `${pathname}index.html`]
    .map((path) => join(DIST, path))
    .find((path) => existsSync(path) && statSync(path).isFile());
  if (found === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { "content-type": TYPES[extname(found)] ?? "application/octet-stream" });
  createReadStream(found).pipe(response);
});
let url = "";

beforeAll(async () => {
  execFileSync("make", ["site"], { cwd: ROOT, stdio: ["ignore", "ignore", "inherit"] });
  await new Promise<void>((resolve) => {
    server.listen(0, "127.0.0.1", resolve);
  });
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

const browserPath = findBrowser() ?? "";

describe.skipIf(browserPath === "")("the site in a browser", () => {
  it("asks no other host for anything, and draws its diagrams", async () => {
    const browser = await openBrowser(browserPath);
    const page = await browser.newPage();
    const hosts = new Set<string>();
    const errors: unknown[] = [];
    page.on("request", (request) => {
      hosts.add(new URL(request.url()).origin);
    });
    page.on("pageerror", (error) => {
      errors.push(error);
    });
    for (const path of ["/", "/concepts", "/reference/sql", "/reference/sdk/client"]) {
      await page.goto(`${url}${path}`, { waitUntil: "networkidle0" });
    }
    expect(errors).toEqual([]);
    expect([...hosts].filter((origin) => origin.startsWith("http"))).toEqual([url]);
    await page.goto(`${url}/concepts`);
    expect(await page.$$eval(".diagram svg", (drawings) => drawings.length)).toBe(2);
  });

  it("finds a function by its name", async () => {
    const browser = await openBrowser(browserPath);
    const page = await browser.newPage();
    await page.goto(`${url}/`, { waitUntil: "networkidle0" });
    await page.locator(".VPNavBarSearchButton, #local-search button").click();
    await page.waitForSelector("#localsearch-input");
    await page.type("#localsearch-input", "change_visibility_batch");
    const link = "#localsearch-list a[href*='change_visibility_batch']";
    await expect(page.waitForSelector(link)).resolves.not.toBeNull();
  });
});
