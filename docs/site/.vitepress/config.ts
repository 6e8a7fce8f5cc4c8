/** The documentation as a static site. Fonts, styles and the search index are its own files: no request leaves the host. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { renderMermaidSVG } from "beautiful-mermaid";
import { defineConfig, type DefaultTheme, type MarkdownOptions } from "vitepress";

type MarkdownRenderer = Parameters<NonNullable<MarkdownOptions["config"]>>[0];

const PAGES = new URL("..", import.meta.url).pathname;

export default defineConfig({
  title: "Oxbow",
  description: "Durable workflows that live inside your Postgres queue",
  cleanUrls: true,
  lastUpdated: false,
  ignoreDeadLinks: "localhostLinks",
  markdown: {
    // The prose mentions types such as Promise<void>, which are no components.
    html: false,
    // Anchors as GitHub derives them, which the links in the pages use.
    anchor: { slugify },
    config: (markdown) => {
      drawDiagrams(markdown);
      showBraces(markdown);
    },
  },
  themeConfig: {
    search: { provider: "local" },
    outline: [2, 3],
    nav: [
      { text: "Documentation", link: "/documentation" },
      { text: "Quickstart", link: "/quickstart" },
      { text: "Reference", link: "/reference/sql" },
      { text: "Changelog", link: "/changelog" },
    ],
    sidebar: [
      group("Start", [
        "quickstart.md",
        "operate/high-availability.md",
        "concepts.md",
        "from-other-systems.md",
        "examples/index.md",
      ]),
      group("Guides", pagesIn("guides")),
      group("Declared workflows", pagesIn("declared")),
      group("Node types", pagesIn("declared/nodes")),
      group("Operate", [
        ...pagesIn("operate").filter((path) => path !== "operate/high-availability.md"),
        "fork.md",
        "fork-drivers.md",
        "reliability.md",
        "performance.md",
        "security.md",
      ]),
      group("Reference", [
        ...pagesIn("reference"),
        ...pagesIn("reference/sdk"),
        ...pagesIn("reference/declared"),
      ]),
      group("Internals", ["architecture.md", ...pagesIn("internals"), "decisions/index.md"]),
    ],
  },
});

function slugify(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .replaceAll(" ", "-");
}

/** Inline code as it is written: Vue would evaluate what is in double braces. */
function showBraces(markdown: MarkdownRenderer): void {
  const { code_inline: inlineCode } = markdown.renderer.rules;
  markdown.renderer.rules.code_inline = (tokens, index, options, environment, renderer) => {
    tokens[index]?.attrSet("v-pre", "");
    return inlineCode?.(tokens, index, options, environment, renderer) ?? "";
  };
}

/** Mermaid as SVG in the colours of the theme, drawn while building, so that no page loads a renderer. */
function drawDiagrams(markdown: MarkdownRenderer): void {
  const { fence } = markdown.renderer.rules;
  markdown.renderer.rules.fence = (tokens, index, options, environment, renderer) => {
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") {
      return fence?.(tokens, index, options, environment, renderer) ?? "";
    }
    const svg = renderMermaidSVG(token.content, {
      bg: "var(--vp-c-bg)",
      fg: "var(--vp-c-text-1)",
      font: "inherit",
      transparent: true,
    });
    const local = svg.replaceAll(/@import url\([^)]*\);?/g, "");
    return `<div v-pre class="diagram">${local}</div>`;
  };
}

function group(text: string, paths: readonly string[]): DefaultTheme.SidebarItem {
  const items = paths.map((path) => ({
    text: titleOf(path),
    link: `/${path.replace(/(index)?\.md$/, "")}`,
  }));
  return { text, items };
}

function pagesIn(folder: string): string[] {
  const files = readdirSync(join(PAGES, folder)).filter((file) => file.endsWith(".md"));
  // Sorted by their names without the suffix, so that `shards` comes before `shards-move`.
  const names = files.map((file) => file.slice(0, -".md".length)).toSorted();
  return names.map((name) => `${folder}/${name}.md`);
}

function titleOf(path: string): string {
  const heading = /^# (.+)$/m.exec(readFileSync(join(PAGES, path), "utf8"))?.[1];
  return (heading ?? path).replaceAll("`", "");
}
