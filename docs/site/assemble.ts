/**
 * Collects the pages of the site in `.tmp/site/`: everything in `docs/`, the documents at the root of the repository, and
 * each example as a page. Links between them are kept; links to other files lead to the repository, if its url is set.
 */
import {
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative } from "node:path";
import { fileURLToPath } from "node:url";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const SITE = join(ROOT, ".tmp/site");
const ROOT_PAGES = ["ARCHITECTURE.md", "CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md"];
const INDEX = "index.md";

interface Page {
  /** From the root of the repository. */
  readonly source: string;
  /** From the root of the site. */
  readonly target: string;
  readonly text: string;
}

function assemble(repository: string | undefined): void {
  rmSync(SITE, { recursive: true, force: true });
  const pages = [...documents(), ...examples()];
  const targets = new Map(pages.map(({ source, target }) => [source, target]));
  for (const page of pages) {
    const path = join(SITE, page.target);
    mkdirSync(dirname(path), { recursive: true });
    writeFileSync(path, withLinks(page, targets, repository));
  }
  for (const image of images()) cpSync(join(ROOT, image), join(SITE, relative("docs", image)));
  // Packages are resolved from where the configuration is.
  symlinkSync(join(ROOT, "docs/site/node_modules"), join(SITE, "node_modules"));
  cpSync(join(ROOT, "docs/site/.vitepress"), join(SITE, ".vitepress"), { recursive: true });
}

function documents(): Page[] {
  const inDocs = filesBelow("docs")
    .filter((path) => path.endsWith(".md") && !path.startsWith("docs/site/"))
    .map((source) =>
      page(source, relative("docs", source).replace(/(^|\/)README\.md$/, `$1${INDEX}`)),
    );
  const overview = inDocs.map((each) =>
    each.target === INDEX ? { ...each, target: "documentation.md" } : each,
  );
  return [
    page("README.md", INDEX),
    ...ROOT_PAGES.map((source) => page(source, source.toLowerCase())),
    ...overview,
  ];
}

const images = (): string[] => filesBelow("docs").filter((path) => path.endsWith(".webp"));

function examples(): Page[] {
  const programs = readdirSync(join(ROOT, "examples")).filter((name) => /^\d\d-.*\.ts$/.test(name));
  return [
    page("examples/README.md", `examples/${INDEX}`),
    ...programs.map((name) => {
      const source = `examples/${name}`;
      const code = readFileSync(join(ROOT, source), "utf8").trimEnd();
      return {
        source,
        target: `examples/${basename(name, ".ts")}.md`,
        text: `# ${name}\n\n\`\`\`\`ts\n${code}\n\`\`\`\`\n`,
      };
    }),
  ];
}

function page(source: string, target: string): Page {
  return { source, target, text: withoutComments(readFileSync(join(ROOT, source), "utf8")) };
}

/** Comments are for the tests of the page, and the generator would show them, since it allows no HTML. */
function withoutComments(text: string): string {
  return text.replaceAll(/^ *<!--[\s\S]*?-->\n+/gm, "");
}

/** Relative links of a page, from one place in the site to another. */
function withLinks(
  { source, target, text }: Page,
  targets: ReadonlyMap<string, string>,
  repository: string | undefined,
): string {
  return text.replaceAll(
    /\[([^\]\n]*)\]\((?![a-z]+:|#)([^)#\s]+(?<!\.webp))(#[^)\s]*)?\)/g,
    (_, label: string, path: string, anchor: string | undefined = "") => {
      const linked = join(dirname(source), path).replace(/\/$/, "");
      const found = targets.get(linked) ?? targets.get(`${linked}/README.md`);
      if (found !== undefined) {
        const from = relative(dirname(target), found);
        return `[${label}](${from.startsWith(".") ? from : `./${from}`}${anchor})`;
      }
      return repository === undefined
        ? label
        : `[${label}](${repository}/blob/main/${linked}${anchor})`;
    },
  );
}

function filesBelow(folder: string): string[] {
  return readdirSync(join(ROOT, folder), { recursive: true, encoding: "utf8" })
    .map((path) => join(folder, path))
    .filter((path) => !path.includes("node_modules"))
    .toSorted();
}

assemble(process.env["REPOSITORY_URL"]);
