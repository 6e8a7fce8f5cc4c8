/** Everything that the pages of the documentation refer to exists. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { allPages, type Page, readPage, ROOT } from "./pages.ts";

const pages = allPages();

describe("the documentation", () => {
  it("begins with a README of less than 120 lines", () => {
    const seen = readPage("README.md").text.replaceAll(/^<!--[\s\S]*?-->\n\n/gm, "");
    expect(seen.split("\n").length).toBeLessThan(120);
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
