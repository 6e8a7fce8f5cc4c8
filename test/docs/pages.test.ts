/** Everything that the pages of the documentation refer to exists. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { allPages, type Page, readPage, ROOT } from "./pages.ts";

const pages = allPages();

describe("the documentation", () => {
  it("begins with a README of less than 120 lines, and less than 1,000 words", () => {
    const seen = seenOf(readPage("README.md"));
    expect(seen.split("\n").length).toBeLessThan(120);
    expect(countWords(seen)).toBeLessThan(1000);
  });

  it("has no guide of more than 1,800 words", () => {
    const guides = pages.filter(({ path }) => path.startsWith("docs/guides/"));
    expect(guides.length).toBeGreaterThan(20);
    const heavy = guides
      .map((page) => ({ path: page.path, words: countWords(seenOf(page)) }))
      .filter(({ words }) => words > 1800);
    expect(heavy).toEqual([]);
  });

  it.each(pages.map((page) => [page.path, page] as const))("%s has no dead link", (_path, page) => {
    expect(deadLinks(page)).toEqual([]);
  });

  it("leads to every page from its index", () => {
    const indexes = ["docs/README.md", "docs/decisions/README.md", "docs/declared/nodes/README.md"];
    const index = indexes.map((path) => readPage(path).text).join("\n");
    const missing = pages
      .map(({ path }) => path)
      .filter((path) => path.startsWith("docs/") && !path.endsWith("README.md"))
      .filter(
        (path) => !index.includes(path.replace(/^docs\/(decisions\/|declared\/nodes\/)?/, "")),
      );
    expect(missing).toEqual([]);
  });

  it("shows the adapters of transactions as they are tested", () => {
    const { text } = readPage("docs/guides/transactions.md");
    const files = readdirSync(join(ROOT, "examples/transactions"));
    expect(files.length).toBeGreaterThan(6);
    const missing = files.filter(
      (file) => !text.includes(`\`\`\`ts\n${read(`examples/transactions/${file}`)}\`\`\``),
    );
    expect(missing).toEqual([]);
  });
});

/** What a reader sees: without the comments for the tests of its code. */
function seenOf({ text }: Page): string {
  return text.replaceAll(/^ *<!--[\s\S]*?-->\n\n?/gm, "");
}

/** Words with a letter or a digit, code and tables included. */
function countWords(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length;
}

function deadLinks({ path, text }: Page): string[] {
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target ?? "");
  return links.filter((target) => {
    if (/^https?:/.test(target)) return false;
    const [file = "", anchor] = target.split("#");
    const linked = file === "" ? path : join(dirname(path), file);
    if (!existsSync(join(ROOT, linked))) return true;
    return anchor !== undefined && !anchorsOf(read(linked)).includes(anchor);
  });
}

/** As GitHub makes them of headings. */
function anchorsOf(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, heading]) =>
    (heading ?? "")
      .toLowerCase()
      .replaceAll(/[^\w\- ]/g, "")
      .replaceAll(" ", "-"),
  );
}

function read(path: string): string {
  return readFileSync(join(ROOT, path), "utf8");
}
