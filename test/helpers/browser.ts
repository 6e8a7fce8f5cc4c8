/**
 * A real browser, where the machine has one: Chromium or Chrome, driven through its own protocol. Its headless shell comes
 * first: a tab without a window takes half the work.
 */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";
import { type Browser, launch } from "puppeteer-core";
import { atFileEnd } from "./file-end.ts";

const NAMES = [
  "chromium-headless-shell",
  "chromium",
  "chromium-browser",
  "google-chrome",
  "google-chrome-stable",
];

/** `OXBOW_TEST_BROWSER`, else what is on the path; undefined without a browser. */
export function findBrowser(): string | undefined {
  const given = process.env["OXBOW_TEST_BROWSER"];
  if (given !== undefined && given !== "") return given;
  return (process.env["PATH"] ?? "")
    .split(delimiter)
    .flatMap((folder) => NAMES.map((name) => join(folder, name)))
    .find((path) => existsSync(path));
}

export async function openBrowser(path: string): Promise<Browser> {
  const browser = await launch({
    executablePath: path,
    // Tests may run as root, and in containers whose shared memory is small.
    args: ["--no-sandbox", "--disable-dev-shm-usage", "--disable-gpu"],
    // A computer's; at puppeteer's own width of 800 pixels, pages may be laid out as on a phone.
    defaultViewport: { width: 1_280, height: 800 },
  });
  atFileEnd(() => browser.close());
  return browser;
}
